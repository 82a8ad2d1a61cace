// A library that is not a device plugin.

extern "C" __attribute__((visibility("default"))) int th_something_else(void);
int th_something_else(void) { return 0; }
