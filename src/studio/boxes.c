// Queues between threads.
#include "studio/inside.h"

#include "base/memory.h"
#include <string.h>
#include <time.h>

Parcel *parcel_new(const void *data, size_t length, bool binary) {
    Parcel *p = memory_zeroed(1, sizeof *p);
    unsigned char *room = memory_zeroed(PARCEL_ROOM + length + 1, 1);
    p->binary = binary;
    p->length = length;
    p->data = room + PARCEL_ROOM;
    if (length) memcpy(p->data, data, length);
    return p;
}

void parcel_free(Parcel *p) {
    if (!p) return;
    free(p->data - PARCEL_ROOM);
    free(p);
}

void box_open(Box *b) {
    pthread_condattr_t how;
    pthread_mutex_init(&b->lock, NULL);
    pthread_condattr_init(&how);
    pthread_condattr_setclock(&how, CLOCK_MONOTONIC);
    pthread_cond_init(&b->filled, &how);
    pthread_condattr_destroy(&how);
}

void box_empty(Box *b) {
    while (b->first) {
        Parcel *p = b->first;
        b->first = p->next;
        parcel_free(p);
    }
    pthread_cond_destroy(&b->filled);
    pthread_mutex_destroy(&b->lock);
}

void box_close(Box *b) {
    pthread_mutex_lock(&b->lock);
    b->closed = true;
    pthread_cond_broadcast(&b->filled);
    pthread_mutex_unlock(&b->lock);
}

bool box_put(Box *b, Parcel *p) {
    pthread_mutex_lock(&b->lock);
    bool open = !b->closed;
    if (open) {
        *(b->last ? &b->last->next : &b->first) = p;
        b->last = p;
        b->count++;
        b->bytes += p->length;
        pthread_cond_signal(&b->filled);
    }
    pthread_mutex_unlock(&b->lock);
    if (!open) parcel_free(p);
    return open;
}

Parcel *box_take(Box *b) {
    pthread_mutex_lock(&b->lock);
    Parcel *p = b->first;
    if (p) {
        b->first = p->next;
        if (!b->first) b->last = NULL;
        b->count--;
        b->bytes -= p->length;
        p->next = NULL;
    }
    pthread_mutex_unlock(&b->lock);
    return p;
}

bool box_wait(Box *b, const struct timespec *until) {
    pthread_mutex_lock(&b->lock);
    int late = 0;
    while (!b->first && !b->closed && !late)
        late = until ? pthread_cond_timedwait(&b->filled, &b->lock, until)
                     : pthread_cond_wait(&b->filled, &b->lock);
    bool something = b->first != NULL;
    pthread_mutex_unlock(&b->lock);
    return something;
}

size_t box_bytes(Box *b) {
    pthread_mutex_lock(&b->lock);
    size_t n = b->bytes + (size_t)b->count * sizeof(Parcel);
    pthread_mutex_unlock(&b->lock);
    return n;
}
