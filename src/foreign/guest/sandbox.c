// A process that can compute and read, and do little else:
//
//   limits     memory, size and number of files, no core files
//   landlock   files change inside of its own folder only
//   seccomp    no new processes, programs, sockets, signals to others; where the kernel has no
//              landlock, no file is opened for writing at all
//
// What is denied fails with EPERM: foreign code hears of it and can go on, or fail.
#define _GNU_SOURCE // O_PATH, CLONE_THREAD
#include "foreign/guest/guest.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define THIS_MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_MACHINE AUDIT_ARCH_AARCH64
#else
#error "the system calls of this processor are not listed here"
#endif

// --- limits --------------------------------------------------------------------------------------

static void limit(int what, rlim_t most) {
    struct rlimit r;
    if (getrlimit(what, &r) != 0) return;
    if (r.rlim_max == RLIM_INFINITY || r.rlim_max > most) r.rlim_max = most;
    if (r.rlim_cur == RLIM_INFINITY || r.rlim_cur > most) r.rlim_cur = most;
    setrlimit(what, &r);
}

static void set_limits(void) {
    limit(RLIMIT_AS, (rlim_t)4 << 30);
    limit(RLIMIT_FSIZE, (rlim_t)256 << 20);
    limit(RLIMIT_NOFILE, 64);
    limit(RLIMIT_CORE, 0);
}

// --- files ---------------------------------------------------------------------------------------

static const uint64_t changes = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                                LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                                LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                                LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                                LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;

static bool allow_folder(int rules, const char *folder) {
    struct landlock_path_beneath_attr below = {.allowed_access = changes};
    below.parent_fd = open(folder, O_PATH | O_CLOEXEC);
    bool good = below.parent_fd >= 0 &&
                syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &below, 0) == 0;
    close(below.parent_fd);
    return good;
}

// False: the kernel has no landlock.
static bool lock_files(const char *folder) {
    struct landlock_ruleset_attr attributes = {.handled_access_fs = changes};
    int rules = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
    if (rules < 0) return false;
    bool good = !folder || allow_folder(rules, folder);
    good = good && syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return good;
}

// --- system calls --------------------------------------------------------------------------------

static const int denied[] = {
#if defined(__x86_64__)
    SYS_fork,
    SYS_vfork,
    SYS_modify_ldt,
    SYS_iopl,
    SYS_ioperm,
#endif
    SYS_execve,
    SYS_execveat,
    SYS_socket,
    SYS_socketpair,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_accept,
    SYS_accept4,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kill,
    SYS_tkill,
    SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo,
    SYS_pidfd_open,
    SYS_pidfd_getfd,
    SYS_pidfd_send_signal,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_unshare,
    SYS_setns,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_open_by_handle_at,
    SYS_acct,
    SYS_quotactl,
    SYS_msgget,
    SYS_shmget,
    SYS_semget,
    SYS_mq_open,
    // what landlock does not see: rights, owners, times and lengths of files by their names
    SYS_fchmodat,
    SYS_fchownat,
    SYS_utimensat,
    SYS_truncate,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_removexattr,
    SYS_lremovexattr,
#if defined(__x86_64__)
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_utime,
    SYS_utimes,
    SYS_futimesat,
#endif
};

// Without landlock: whatever changes names of files.
static const int denied_names[] = {
#if defined(__x86_64__)
    SYS_creat,    SYS_unlink,    SYS_rename,  SYS_mkdir,  SYS_rmdir,     SYS_link,    SYS_symlink,
    SYS_mknod,
#endif
    SYS_unlinkat, SYS_renameat2, SYS_mkdirat, SYS_linkat, SYS_symlinkat, SYS_mknodat, SYS_openat2,
};

enum { MOST_RULES = 300 };

typedef struct {
    struct sock_filter rule[MOST_RULES];
    unsigned short count;
} Filter;

static void add(Filter *f, uint16_t code, uint32_t value, uint8_t yes, uint8_t no) {
    if (f->count < MOST_RULES) f->rule[f->count++] = (struct sock_filter){code, yes, no, value};
}

static void load(Filter *f, size_t at) { add(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)at, 0, 0); }
static void give(Filter *f, uint32_t what) { add(f, BPF_RET | BPF_K, what, 0, 0); }

static void deny(Filter *f, int call, int error) {
    add(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1);
    give(f, SECCOMP_RET_ERRNO | (uint32_t)error);
}

// Denies `call` where the lower half of its argument has (wanted: lacks) one of these bits.
static void deny_bits(Filter *f, int call, int argument, uint32_t bits, bool wanted) {
    add(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 4);
    load(f, offsetof(struct seccomp_data, args) + 8 * (size_t)argument);
    add(f, BPF_JMP | BPF_JSET | BPF_K, bits, wanted ? 1 : 0, wanted ? 0 : 1);
    give(f, SECCOMP_RET_ERRNO | EPERM);
    load(f, offsetof(struct seccomp_data, nr)); // as before
}

static bool lock_calls(bool files_locked) {
    static Filter f;
    load(&f, offsetof(struct seccomp_data, arch));
    add(&f, BPF_JMP | BPF_JEQ | BPF_K, THIS_MACHINE, 1, 0);
    give(&f, SECCOMP_RET_KILL_PROCESS);
    load(&f, offsetof(struct seccomp_data, nr));
#if defined(__x86_64__)
    add(&f, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1); // another numbering (x32)
    give(&f, SECCOMP_RET_KILL_PROCESS);
#endif
    for (size_t i = 0; i < sizeof denied / sizeof denied[0]; i++) deny(&f, denied[i], EPERM);
    deny_bits(&f, SYS_clone, 0, CLONE_THREAD, true);
    deny_bits(&f, SYS_prlimit64, 0, UINT32_MAX, false); // of other processes
    deny(&f, SYS_clone3, ENOSYS); // its flags lie in memory: the C library then takes clone
    const uint32_t writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
    if (!files_locked) {
        for (size_t i = 0; i < sizeof denied_names / sizeof denied_names[0]; i++)
            deny(&f, denied_names[i], EPERM);
        deny_bits(&f, SYS_openat, 2, writing, false);
#if defined(__x86_64__)
        deny_bits(&f, SYS_open, 1, writing, false);
#endif
    }
    give(&f, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {f.count, f.rule};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool sandbox_enter(const char *folder, char *words) {
    set_limits();
    const char *missing = NULL;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) missing = "PR_SET_NO_NEW_PRIVS";
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    bool files_locked = !missing && lock_files(folder);
    if (!missing && !lock_calls(files_locked)) missing = "seccomp";
    if (missing)
        snprintf(words, CHANNEL_WORDS, "it cannot be locked in: this machine has no %s", missing);
    return !missing;
}
