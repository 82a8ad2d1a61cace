/* A classifier that threads share: one layer, whose weights are constant after loading. */

#ifndef MODEL_H
#define MODEL_H

#include <stddef.h>

struct model;

/* Reads "outputs inputs", a row of weights for each output, and a bias for each, as text. On
   failure returns NULL and writes a message. */
struct model* model_load(const char* filename, char* message, size_t size);
void model_free(struct model* model);

/* The tensors that one thread reuses for its queries. */
struct query;
struct query* query_new(void);
void query_free(struct query* query);

/* Returns the most likely output, from 0, and its probability. If TH raises an error, returns -1
   and writes a message. */
int query_run(struct query* query, const struct model* model, const float* inputs, size_t count,
              float* probability, char* message, size_t size);

#endif
