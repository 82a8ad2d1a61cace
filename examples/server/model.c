#include "model.h"

#include <TH/TH.h>

struct model {
  THFloatTensor *weights, *bias; /* outputs x inputs, outputs */
};

struct query {
  THFloatTensor *input, *scores, *best;
  THLongTensor* index;
};

/* Arguments and results of the functions that THTry calls. An error leaves these functions at once,
   so their objects are stored here and can be freed afterwards. */
struct load {
  const char* filename;
  THFile* file;
  struct model* model;
};

static void load(void* data) {
  struct load* load = data;
  struct model* model = load->model;
  int64_t outputs, inputs;
  load->file = THDiskFile_new(load->filename, "r", 0);
  outputs = THFile_readLongScalar(load->file);
  inputs = THFile_readLongScalar(load->file);
  THArgCheck(outputs > 0 && inputs > 0 && outputs < 65536 && inputs < 65536, 1,
             "%s: %ld x %ld weights", load->filename, (long)outputs, (long)inputs);
  model->weights = THFloatTensor_newWithSize2d(outputs, inputs);
  model->bias = THFloatTensor_newWithSize1d(outputs);
  THFile_readFloatRaw(load->file, THFloatTensor_data(model->weights), outputs * inputs);
  THFile_readFloatRaw(load->file, THFloatTensor_data(model->bias), outputs);
}

struct model* model_load(const char* filename, char* message, size_t size) {
  struct load args = {filename, NULL, calloc(1, sizeof(struct model))};
  int failed;
  if (!args.model) return NULL;
  failed = THTry(load, &args, message, size) != 0;
  if (args.file) THFile_free(args.file);
  if (!failed) return args.model;
  model_free(args.model);
  return NULL;
}

void model_free(struct model* model) {
  if (!model) return;
  THFloatTensor_free(model->weights); /* NULL is ignored */
  THFloatTensor_free(model->bias);
  free(model);
}

static void make_query(void* data) {
  struct query* query = data;
  query->input = THFloatTensor_new();
  query->scores = THFloatTensor_new();
  query->best = THFloatTensor_new();
  query->index = THLongTensor_new();
}

struct query* query_new(void) {
  struct query* query = calloc(1, sizeof(*query));
  char message[200];
  if (query && THTry(make_query, query, message, sizeof(message)) != 0) {
    query_free(query);
    return NULL;
  }
  return query;
}

void query_free(struct query* query) {
  if (!query) return;
  THFloatTensor_free(query->input);
  THFloatTensor_free(query->scores);
  THFloatTensor_free(query->best);
  THLongTensor_free(query->index);
  free(query);
}

struct run {
  struct query* query;
  const struct model* model;
  const float* inputs;
  size_t count;
  float probability;
  int output;
};

/* Computes softmax(weights * input + bias) and the position of its maximum. */
static void run(void* data) {
  struct run* run = data;
  struct query* q = run->query;
  THFloatTensor_resize1d(q->input, (int64_t)run->count);
  memcpy(THFloatTensor_data(q->input), run->inputs, run->count * sizeof(float));
  THFloatTensor_addmv(q->scores, 1, run->model->bias, 1, run->model->weights, q->input);
  THFloatTensor_softmax(q->scores, q->scores, 0);
  THFloatTensor_max(q->best, q->index, q->scores, 0, 1);
  run->probability = THFloatTensor_get1d(q->best, 0);
  run->output = (int)(THLongTensor_get1d(q->index, 0) - TH_INDEX_BASE);
}

int query_run(struct query* query, const struct model* model, const float* inputs, size_t count,
              float* probability, char* message, size_t size) {
  struct run args = {query, model, inputs, count, 0, -1};
  if (THTry(run, &args, message, size) != 0) return -1;
  *probability = args.probability;
  return args.output;
}
