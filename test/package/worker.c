#include <TH.h>
#include <lualib.h>
#include <luaT.h>
#include <pthread.h>
#include <string.h>

/* rows.worker(code, text): a thread with a Lua state of its own, which runs the code with the
   CharStorage of a text as its argument, as Torch7's package threads hands jobs over. worker:join()
   waits, and gives what the code has returned, as text, or raises its error. */

typedef struct {
  pthread_t thread;
  char* code;
  THCharStorage* text;
  char* result;
  int failed, joined;
} Worker;

static char* copy_text(const char* text) {
  char* copy = THAlloc((ptrdiff_t)strlen(text) + 1);
  return strcpy(copy, text);
}

static void* work(void* data) {
  Worker* worker = data;
  lua_State* L = luaL_newstate();
  const char* text;
  luaL_openlibs(L);
  worker->failed = luaL_loadstring(L, "require 'torch'") || lua_pcall(L, 0, 0, 0) ||
                   luaL_loadstring(L, worker->code);
  if (!worker->failed) {
    luaT_pushudata(L, worker->text, "torch.CharStorage");
    worker->text = NULL;
    worker->failed = lua_pcall(L, 1, 1, 0);
  }
  text = lua_tostring(L, -1);
  worker->result = copy_text(text ? text : "nothing");
  lua_close(L);
  return NULL;
}

static int worker_new(lua_State* L) {
  const char* code = luaL_checkstring(L, 1);
  THCharStorage* text = luaT_checkudata(L, 2, "torch.CharStorage");
  Worker* worker = THAlloc(sizeof(Worker));
  memset(worker, 0, sizeof(Worker));
  THCharStorage_retain(text);
  worker->text = text;
  worker->code = copy_text(code);
  if (pthread_create(&worker->thread, NULL, work, worker)) THError("no thread can be started");
  luaT_pushudata(L, worker, "rows.Worker");
  return 1;
}

static int worker_join(lua_State* L) {
  Worker* worker = luaT_checkudata(L, 1, "rows.Worker");
  if (!worker->joined) pthread_join(worker->thread, NULL);
  worker->joined = 1;
  lua_pushstring(L, worker->result);
  if (worker->failed) return lua_error(L);
  return 1;
}

static int worker_free(lua_State* L) {
  Worker* worker = luaT_checkudata(L, 1, "rows.Worker");
  if (!worker->joined) pthread_join(worker->thread, NULL);
  if (worker->text) THCharStorage_free(worker->text);
  THFree(worker->code);
  THFree(worker->result);
  THFree(worker);
  return 0;
}

static const luaL_Reg methods[] = {{"join", worker_join}, {NULL, NULL}};

void rows_worker_init(lua_State* L) {
  luaT_newmetatable(L, "rows.Worker", NULL, worker_new, worker_free, NULL);
  luaT_setfuncs(L, methods, 0);
  lua_pop(L, 1);
}
