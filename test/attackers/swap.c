/*
 * Exchanges pairs of names as fast as it can: an honest directory or file for a link to somewhere outside.
 * Each exchange is one system call, so both names exist at every moment and only their meaning changes.
 *
 * usage: swap MAX_PAUSE_MICROSECONDS NAME NAME [NAME NAME ...]
 * Prints the number of exchanges when it is asked to end with SIGTERM. Exit code 3: not possible here.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE 2
#endif

static volatile sig_atomic_t ending = 0;

static void end(int signal) {
  (void)signal;
  ending = 1;
}

static uint64_t nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void pause_at_most(uint64_t microseconds, uint64_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  /* Every other pause is none at all: the quickest swaps find the narrowest gaps. */
  if (microseconds == 0 || (*seed & 1)) return;
  uint64_t until = nanoseconds() + *seed % (microseconds * 1000);
  while (!ending && nanoseconds() < until) {
  }
}

int main(int count, char **arguments) {
  if (count < 4 || count % 2 != 0) return 2;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGTERM, end);
  uint64_t longest = strtoull(arguments[1], NULL, 10);
  uint64_t seed = nanoseconds() | 1;
  unsigned long exchanges = 0;
  puts("ready");
  fflush(stdout);
  while (!ending) {
    for (int i = 2; i + 1 < count; i += 2) {
      if (syscall(SYS_renameat2, AT_FDCWD, arguments[i], AT_FDCWD, arguments[i + 1], RENAME_EXCHANGE) == 0) {
        exchanges++;
      } else if (errno == ENOSYS || errno == EINVAL) {
        return 3;
      }
      pause_at_most(longest, &seed);
    }
  }
  printf("%lu\n", exchanges);
  return 0;
}
