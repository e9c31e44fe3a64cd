// Time as it passes, for what takes time: nothing that is computed may depend on it.
#ifndef BONDYN_BASE_CLOCK_H
#define BONDYN_BASE_CLOCK_H

double clock_seconds(void); // from some moment on that never changes; it does not jump
double clock_worked(void);  // how long a processor worked for this thread

#endif
