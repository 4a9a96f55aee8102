/* Files that the program writes. */
#include "base/output.h"
#include "base/map.h"
#include "base/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/xattr.h>
#endif

enum { ATTEMPTS = 100, NAME_BYTES = 200 /* of the name, so that no file system finds the new one too long */ };

/* What was opened and not closed yet: to be removed if the program ends before. */
static output_file *volatile unfinished;
static char *volatile made_folder;
static pid_t owner; /* the process that removes it, as others may be forked */

/* ---- inputs */

/* A file by device and inode. */
typedef struct identity {
    uint64_t device, inode;
} identity;

static hash_map inputs;

static identity identity_of(const struct stat *status)
{
    return (identity){(uint64_t)status->st_dev, (uint64_t)status->st_ino};
}

static NO_RETURN void refuse(const char *name)
{
    stream_message("`%s` is to be read and written: name another file to be written", name);
    exit(EXIT_USAGE);
}

void output_note_input(const struct stat *input, const char *name)
{
    struct stat output;
    if (!S_ISREG(input->st_mode))
        return;
    identity it = identity_of(input);
    map_add(&inputs, &it, sizeof it);
    if (fstat(STDOUT_FILENO, &output) == 0 && output.st_dev == input->st_dev && output.st_ino == input->st_ino)
        refuse(name);
}

static void check(const char *name, const struct stat *status)
{
    identity it = identity_of(status);
    if (map_find(&inputs, &it, sizeof it) != MAP_NONE)
        refuse(name);
}

void output_check(const output_file *it)
{
    struct stat status;
    if (stat(it->name, &status) == 0)
        check(it->name, &status);
}

/* ---- what is removed if the program fails: safe within signal handlers */

static void remove_unfinished(void)
{
    if (getpid() != owner)
        return;
    for (const output_file *it = unfinished; it; it = it->next)
        unlink(it->part);
    if (made_folder)
        rmdir(made_folder);
}

/* The signals that end no program. */
static const int harmless[] = {SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH,
#ifdef SIGINFO
                               SIGINFO
#endif
};
#ifdef SIGRTMAX
#define LAST_SIGNAL SIGRTMAX
#else
#define LAST_SIGNAL 31
#endif

static int is_harmless(int number)
{
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (harmless[i] == number)
            return 1;
    return 0;
}

static void end_by_signal(int number)
{
    remove_unfinished();
    signal(number, SIG_DFL);
    raise(number);
}

/* Signals that are ignored or handled otherwise stay so. */
static void catch_signals(void)
{
    struct sigaction action;
    for (int number = 1; number <= LAST_SIGNAL; number++)
        if (!is_harmless(number) && sigaction(number, NULL, &action) == 0 && !(action.sa_flags & SA_SIGINFO) &&
            action.sa_handler == SIG_DFL) {
            action.sa_handler = end_by_signal;
            sigaction(number, &action, NULL);
        }
    owner = getpid();
    atexit(remove_unfinished);
}

/* Keep signals off while a file and the list of files are brought into line. */
static sigset_t unblocked;

static void block_signals(void)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &unblocked);
}

static void unblock_signals(void) { sigprocmask(SIG_SETMASK, &unblocked, NULL); }

static void forget(const output_file *it)
{
    output_file *volatile *at = &unfinished;
    while (*at && *at != it)
        at = &(*at)->next;
    if (*at)
        *at = it->next;
}

/* ---- opening */

static NO_RETURN void fail(const output_file *it, int error)
{
    const char *state = it->is_live       ? "what was written before is there"
                        : it->is_replaced ? "it is as it was before"
                                          : "";
    const char *advice = error == ENOSPC || error == EDQUOT || error == EFBIG ? "make room there, or write elsewhere"
                                                                              : "";
    const char *name = strcmp(it->name, "-") == 0 ? "standard output" : it->name;
    stream_fail("%s: %s%s%s%s%s", name, strerror(error), *state ? "; " : "", state, *advice ? "; " : "", advice);
}

/* Returns the descriptor that a name such as -, /dev/stdout or /dev/fd/3 stands for; -1: none. */
static int descriptor_of(const char *name)
{
    if (strcmp(name, "-") == 0)
        return STDOUT_FILENO;
    static const char *const names[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    for (int i = 0; i < 3; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    for (int i = 0; i < 2; i++) {
        size_t size = strlen(folders[i]);
        char *end;
        if (strncmp(name, folders[i], size) != 0 || name[size] < '0' || name[size] > '9')
            continue;
        long number = strtol(name + size, &end, 10);
        return *end == '\0' && number <= 1 << 20 ? (int)number : -1;
    }
    return -1;
}

/* Gives an open file another descriptor if it has that of standard input, output or error, which was closed. */
static void move_up(output_file *it)
{
    int low = it->file;
    if (low < 0 || low > STDERR_FILENO)
        return;
    it->file = fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(low);
}

#define PART_SUFFIX ".%08lx.new"

/* Names a new file beside the one that is written. */
static char *name_part(const char *name)
{
    static uint64_t drawn;
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    text_buffer path = {0};
    drawn++;
    text_put(&path, name, (size_t)(base - name));
    text_printf(&path, "%.*s" PART_SUFFIX, NAME_BYTES, base,
                (unsigned long)(map_hash(&drawn, sizeof drawn) & 0xffffffffu));
    return text_string(&path);
}

int output_is_part(const char *name)
{
    enum { DIGITS = 8, SIZE = sizeof ".00000000.new" - 1 };
    const size_t size = strlen(name);
    const char *end = size > SIZE ? name + size - SIZE : NULL;
    return end && *end == '.' && strspn(end + 1, "0123456789abcdef") == DIGITS && strcmp(end + 1 + DIGITS, ".new") == 0;
}

/* Gives a new file the list of access of the one that it replaces, or none.  Where there is a list, the mode has its
 * mask in place of what the group may, so without it that would be more. */
static void take_over_list(const output_file *it, const struct stat *replaced)
{
#ifdef __linux__
    static const char list[] = "system.posix_acl_access";
    static char bytes[1 << 16];
    const ssize_t size = getxattr(it->name, list, bytes, sizeof bytes);
    const int has_none = size == 0 || (size < 0 && (errno == ENODATA || errno == ENOTSUP || errno == ENOSYS));
    (void)!fremovexattr(it->file, list); /* of the folder's default; it may have none */
    if (fchmod(it->file, replaced->st_mode & (has_none ? 0777 : 0707)) < 0)
        fail(it, errno);
    if (size > 0)
        (void)!fsetxattr(it->file, list, bytes, (size_t)size, 0);
    errno = 0;
#else
    if (fchmod(it->file, replaced->st_mode & 0777) < 0)
        fail(it, errno);
#endif
}

/* Gives a new file the owner, group and permissions of the one that it replaces, as far as this user may: others of the
 * group, or the owner where this is root, go on to use it. */
static void take_over(const output_file *it, const struct stat *replaced)
{
    if (fchown(it->file, replaced->st_uid, replaced->st_gid) < 0 && fchown(it->file, (uid_t)-1, replaced->st_gid) < 0)
        errno = 0; /* so it is this user's own */
    take_over_list(it, replaced);
}

/* Opens a new file beside the one that is written; `replaced` is that one, NULL: there is none. */
static void open_part(output_file *it, const struct stat *replaced)
{
    if (replaced && access(it->name, W_OK) < 0)
        fail(it, errno);
    if (it->name[0] == '\0')
        fail(it, ENOENT);
    block_signals();
    for (int i = 0; i < ATTEMPTS; i++) {
        it->part = name_part(it->name);
        it->file = open(it->part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC,
                        replaced ? 0600 : 0666);
        move_up(it);
        if (it->file >= 0 || errno != EEXIST)
            break;
        free(it->part);
    }
    if (it->file < 0) {
        int error = errno;
        stream_fail("%s: %s; a new file beside it is needed: write to a folder where there may be one", it->name,
                    strerror(error));
    }
    it->next = unfinished;
    unfinished = it;
    unblock_signals();
    if (replaced)
        take_over(it, replaced);
}

/* Puts the new file in its place. */
static void put_in_place(output_file *it)
{
    block_signals();
    if (rename(it->part, it->name) < 0)
        fail(it, errno);
    forget(it);
    unblock_signals();
    free(it->part);
    it->part = NULL;
}

/* Whether a file begins as a trace does, with the definition of an event. */
static int is_trace(const char *name)
{
    static const char begin[] = "%EventDef";
    char bytes[sizeof begin - 1];
    int file = open(name, O_RDONLY | O_NOCTTY | O_CLOEXEC);
    ssize_t size = file < 0 ? -1 : read(file, bytes, sizeof bytes);
    if (file >= 0)
        close(file);
    return size == (ssize_t)sizeof bytes && memcmp(bytes, begin, sizeof bytes) == 0;
}

void output_open(output_file *it, const char *name, output_mode mode)
{
    struct stat status;
    size_t size = strlen(name) + 1;
    if (!owner)
        catch_signals();
    memset(it, 0, sizeof *it);
    it->name = memcpy(memory_alloc(size, 1), name, size);
    int descriptor = descriptor_of(name), is_there = stat(name, &status) == 0;
    if (!is_there && errno != ENOENT) /* it may be a device, which a new file must not replace */
        fail(it, errno);
    if (is_there && S_ISREG(status.st_mode))
        check(name, &status);
    if (descriptor >= 0 || (is_there && !S_ISREG(status.st_mode))) {
        it->file = descriptor >= 0 ? dup(descriptor) : open(name, O_WRONLY | O_NOCTTY | O_CLOEXEC);
        move_up(it);
        if (it->file < 0)
            fail(it, errno);
        return;
    }
    if (mode == OUTPUT_PAGE && is_there && is_trace(name)) {
        stream_message("`%s` is a trace, and stays as it is: name another file to be written", name);
        exit(EXIT_USAGE);
    }
    it->is_replaced = is_there;
    open_part(it, is_there ? &status : NULL);
    if (mode == OUTPUT_LIVE) {
        put_in_place(it);
        it->is_live = 1;
    }
}

/* ---- writing and closing */

void output_write(output_file *it, text_buffer *text)
{
    size_t size = text->size;
    text->size = 0;
    if (size > 0 && !stream_write(it->file, (pajesim_text){text->bytes, size})) {
        int error = errno;
        if (it->is_live && ftruncate(it->file, (off_t)it->size) < 0) /* nothing that is cut */
            it->is_live = 0;
        if (error == EPIPE)
            exit(EXIT_PIPE);
        fail(it, error);
    }
    it->size += size;
}

void output_close(output_file *files, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        output_file *it = &files[i];
        if (it->part)
            output_check(it);
        if (close(it->file) < 0) /* some file systems report only now that they are full */
            fail(it, errno);
    }
    for (size_t i = 0; i < count; i++)
        if (files[i].part)
            put_in_place(&files[i]);
    char *folder = made_folder;
    made_folder = NULL;
    free(folder);
    for (size_t i = 0; i < count; i++)
        free(files[i].name);
}

void output_make_folder(const char *name)
{
    if (!owner)
        catch_signals();
    text_buffer copy = {0};
    text_puts(&copy, name);
    char *folder = text_string(&copy);
    block_signals();
    if (mkdir(name, 0777) == 0)
        made_folder = folder;
    else if (errno != EEXIST)
        stream_fail("%s: %s", name, strerror(errno));
    else
        free(folder);
    unblock_signals();
}
