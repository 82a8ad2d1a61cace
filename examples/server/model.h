/* A classifier that threads share: one layer, whose weights nobody changes after it was loaded. */

#ifndef MODEL_H
#define MODEL_H

#include <stddef.h>

struct model;

/* Reads "outputs inputs", a row of weights for each output, and a bias for each, as text. Gives
   NULL and a message where that fails. */
struct model* model_load(const char* filename, char* message, size_t size);
void model_free(struct model* model);

/* What one thread needs to ask a model: tensors that it uses again and again. */
struct query;
struct query* query_new(void);
void query_free(struct query* query);

/* The most likely output, from 0 on, and its probability; -1 and a message where TH refused. */
int query_run(struct query* query, const struct model* model, const float* inputs, size_t count,
              float* probability, char* message, size_t size);

#endif
