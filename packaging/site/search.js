// Searches the sections that search-index.js has: each is [page, anchor, title, text, chapter].
// Every word must be in a section; those with the words in their title come first.
(function () {
  'use strict';
  var up = document.currentScript.getAttribute('data-up');
  var input = document.getElementById('search');
  var list = document.getElementById('found');
  var MOST = 30;
  var AROUND = 70;

  function count(text, word) {
    var n = 0;
    for (var at = text.indexOf(word); at >= 0 && n < 5; at = text.indexOf(word, at + 1)) n++;
    return n;
  }

  // How well a section fits the words; 0: not at all.
  function score(section, words) {
    var title = section[2].toLowerCase();
    var text = section.lower || (section.lower = section[3].toLowerCase());
    var place = section[0].toLowerCase();
    var sum = 0;
    for (var i = 0; i < words.length; i++) {
      var word = words[i];
      var found = count(text, word) + (place.indexOf(word) >= 0 ? 4 : 0);
      if (title === word) found += 200;
      else if (title.split(/[^a-z0-9_]+/).indexOf(word) >= 0) found += 60;
      else if (title.indexOf(word) >= 0) found += 20;
      if (found === 0) return 0;
      sum += found;
    }
    return sum;
  }

  // The text around the first of the words, with the words marked.
  function snippet(section, words) {
    var line = document.createElement('span');
    var at = section.lower.indexOf(words[0]);
    var from = Math.max(at - AROUND, 0);
    var text = section[3].slice(from, Math.max(at, 0) + AROUND);
    if (from > 0) text = '... ' + text.replace(/^\S*\s/, '');
    while (text) {
      var first = -1, length = 0, lower = text.toLowerCase();
      for (var i = 0; i < words.length; i++) {
        var place = lower.indexOf(words[i]);
        if (place >= 0 && (first < 0 || place < first)) { first = place; length = words[i].length; }
      }
      if (first < 0) break;
      line.appendChild(document.createTextNode(text.slice(0, first)));
      var mark = document.createElement('mark');
      mark.textContent = text.slice(first, first + length);
      line.appendChild(mark);
      text = text.slice(first + length);
    }
    line.appendChild(document.createTextNode(text));
    return line;
  }

  function search(query) {
    var words = query.toLowerCase().split(/\s+/).filter(function (word) { return word; });
    list.textContent = '';
    list.hidden = words.length === 0;
    if (words.length === 0) return;
    var found = [];
    searchIndex.forEach(function (section, k) {
      var points = score(section, words);
      if (points > 0) found.push({ points: points, k: k, section: section });
    });
    found.sort(function (a, b) { return b.points - a.points || a.k - b.k; });
    found.slice(0, MOST).forEach(function (entry) {
      var section = entry.section;
      var item = document.createElement('li');
      var link = document.createElement('a');
      link.href = up + section[0] + (section[1] ? '#' + section[1] : '');
      link.textContent = section[2];
      var where = document.createElement('small');
      where.textContent = section[4];
      item.appendChild(link);
      item.appendChild(where);
      item.appendChild(snippet(section, words));
      list.appendChild(item);
    });
    if (found.length === 0) {
      var none = document.createElement('li');
      none.textContent = 'nothing has all of these words';
      list.appendChild(none);
    }
  }

  input.hidden = false;
  input.addEventListener('input', function () { search(input.value); });
  input.addEventListener('keydown', function (event) {
    var first = list.querySelector('a');
    if (event.key === 'Enter' && first) location.href = first.href;
    if (event.key === 'Escape') { input.value = ''; search(''); }
  });
  document.addEventListener('keydown', function (event) {
    if (event.key === '/' && document.activeElement !== input) {
      event.preventDefault();
      input.focus();
    }
  });
  // Links to a page may end in ?q=words.
  var asked = /[?&]q=([^&]*)/.exec(location.search);
  if (asked) {
    input.value = decodeURIComponent(asked[1].replace(/\+/g, ' '));
    search(input.value);
  }
})();
