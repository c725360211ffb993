// An emulated link: two network namespaces joined by a wire of given rate, delay and queue length, with
// the kernel's own TCP at both ends.
//
//   usage: link DELAY_MS DOWN_BITS_PER_S UP_BITS_PER_S QUEUE_PACKETS [TRACE_FILE]
//
// Each namespace has a TUN device. This process reads what one device sends, delays it like the wire,
// and writes it to the other device. Each direction is an ordered ring of packets: a packet waits for
// those before it, then takes its bits / rate to leave, then DELAY_MS to arrive. At most QUEUE_PACKETS
// wait to leave; further packets are dropped, as by a router (tail drop). Only the IP packet's bytes
// count. There is no other loss and no reordering.
//
// On stdout: one line of JSON with the names when the link is up, and one of counts for each SIGUSR1,
// which also resets the counts. With TRACE_FILE, a line for each TCP packet as the server sees it: `down`
// when the server sends it, `up` when it reaches the server; ms, direction, the client's port, sequence and
// acknowledgment number, bytes of data, TCP flags, 1 if the packet is dropped. Ends on SIGTERM, SIGINT or the parent's death, and removes the
// namespaces. Needs Linux and root. TCP in both namespaces is cubic without metrics of earlier
// connections; the kernel must allow cubic for that, in a list that all namespaces share and that stays.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { maxPacketBytes = 1500, ringPackets = 16384, nameBytes = IFNAMSIZ };
static const double never = 1e300;
// Of a private network, or of the internet as far as programs can tell (RFC 5737): some treat the two differently.
static const char *const nearAddresses[] = {"10.99.0.1", "10.99.0.2"};
static const char *const farAddresses[] = {"198.51.100.1", "198.51.100.2"};
static const double farSeconds = 2e-3;

typedef struct {
  double departsAt, arrivesAt; // seconds, monotonic
  ssize_t bytes;
  unsigned char data[maxPacketBytes];
} Packet;

typedef struct {
  int from, to; // TUN descriptors
  double bitsPerSecond;
  Packet *ring;
  // Ever growing positions: arrived <= departed <= taken.
  unsigned long arrived, departed, taken;
  double freeAt; // when the last bit of the newest packet leaves
  long packets, bytes, dropped;
  double firstTakenAt, firstArrivedAt, lastDataAt; // since the last count; 0: not yet
} Wire;

static Wire up, down;
static FILE *trace;
static double delaySeconds;
static unsigned long queuePackets;
static char clientName[nameBytes], serverName[nameBytes];
static volatile sig_atomic_t mustReport, mustStop;

static void onReport(int signal) { (void)signal, mustReport = 1; }
static void onStop(int signal) { (void)signal, mustStop = 1; }

static void removeNamespaces(void) {
  char command[256];
  snprintf(command, sizeof command, "ip netns del %s 2>&-; ip netns del %s 2>&-", clientName, serverName);
  if (system(command) != 0) fprintf(stderr, "link: namespaces %s and %s may be left\n", clientName, serverName);
}

static void fail(const char *what) {
  fprintf(stderr, "link: %s: %s\n", what, strerror(errno));
  exit(1);
}

static void shell(const char *format, ...) {
  char command[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(command, sizeof command, format, arguments);
  va_end(arguments);
  if (system(command) == 0) return;
  fprintf(stderr, "link: failed: %s\n", command);
  exit(1);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int openDevice(const char *name) {
  int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (device < 0) fail("/dev/net/tun");
  struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
  strcpy(request.ifr_name, name);
  if (ioctl(device, TUNSETIFF, &request) < 0) fail("TUNSETIFF");
  return device;
}

// The descriptor stays good when its device moves to a namespace.
static int openEnd(const char *name, const char *address) {
  int device = openDevice(name);
  shell("ip netns add %s && ip link set %s netns %s", name, name, name);
  shell("ip -n %s addr add %s/24 dev %s && ip -n %s link set %s up && ip -n %s link set lo up", name,
        address, name, name, name, name);
  shell("ip netns exec %s sysctl -qw net.ipv4.tcp_congestion_control=cubic net.ipv4.tcp_no_metrics_save=1",
        name);
  return device;
}

static void allowCubic(void) {
  shell("list=$(sysctl -n net.ipv4.tcp_allowed_congestion_control); case \" $list \" in *' cubic '*) ;; "
        "*) sysctl -qw net.ipv4.tcp_allowed_congestion_control=\"$list cubic\" ;; esac");
}

static bool carriesData(const Packet *packet) {
  const unsigned char *ip = packet->data;
  int ipHeader = (ip[0] & 15) * 4;
  if (ip[9] != 6 /* TCP */ || packet->bytes < ipHeader + 20) return false;
  return packet->bytes > ipHeader + (ip[ipHeader + 12] >> 4) * 4;
}

static unsigned long big(const unsigned char *bytes, int count) {
  unsigned long value = 0;
  for (int index = 0; index < count; index++) value = value << 8 | bytes[index];
  return value;
}

static void record(const Packet *packet, bool isDown, bool isDropped) {
  const unsigned char *ip = packet->data;
  int ipHeader = (ip[0] & 15) * 4;
  if (trace == NULL || ip[9] != 6 || packet->bytes < ipHeader + 20) return;
  const unsigned char *tcp = ip + ipHeader;
  long data = (long)packet->bytes - ipHeader - (tcp[12] >> 4) * 4;
  fprintf(trace, "%.3f %s %lu %lu %lu %ld %d %d\n", now() * 1e3, isDown ? "down" : "up",
          big(tcp + (isDown ? 2 : 0), 2), big(tcp + 4, 4), big(tcp + 8, 4), data, tcp[13], isDropped);
  fflush(trace);
}

static void take(Wire *wire) {
  for (;;) {
    while (wire->departed < wire->taken && wire->ring[wire->departed % ringPackets].departsAt <= now())
      wire->departed++;
    Packet scratch;
    bool full = wire->taken - wire->departed >= queuePackets || wire->taken - wire->arrived >= ringPackets;
    Packet *packet = full ? &scratch : &wire->ring[wire->taken % ringPackets];
    packet->bytes = read(wire->from, packet->data, maxPacketBytes);
    if (packet->bytes <= 0) return;
    if (packet->data[0] >> 4 != 4) continue; // IPv6 neighbour discovery: not ours
    double at = now();
    wire->packets++;
    wire->bytes += packet->bytes;
    if (wire->firstTakenAt == 0) wire->firstTakenAt = at;
    if (wire == &down) record(packet, true, full);
    if (full) {
      wire->dropped++;
      continue;
    }
    if (wire->freeAt < at) wire->freeAt = at;
    wire->freeAt += (double)packet->bytes * 8 / wire->bitsPerSecond;
    packet->departsAt = wire->freeAt;
    packet->arrivesAt = wire->freeAt + delaySeconds;
    wire->taken++;
  }
}

static double nextArrival(const Wire *wire) {
  return wire->arrived == wire->taken ? never : wire->ring[wire->arrived % ringPackets].arrivesAt;
}

static void deliver(Wire *wire) {
  while (nextArrival(wire) <= now()) {
    const Packet *packet = &wire->ring[wire->arrived++ % ringPackets];
    if (wire->departed < wire->arrived) wire->departed = wire->arrived;
    if (write(wire->to, packet->data, (size_t)packet->bytes) < 0 && errno != EAGAIN && errno != EIO)
      fail("write to the device");
    if (wire == &up) record(packet, false, false);
    if (wire->firstArrivedAt == 0) wire->firstArrivedAt = now();
    if (carriesData(packet)) wire->lastDataAt = now();
  }
}

static void reportWire(const char *name, Wire *wire) {
  printf("\"%s\":{\"packets\":%ld,\"bytes\":%ld,\"dropped\":%ld}", name, wire->packets, wire->bytes,
         wire->dropped);
}

// Times in ms from the client's first packet, its own on the monotonic clock; negative: it did not come.
static void report(void) {
  printf("{");
  reportWire("up", &up);
  printf(",");
  reportWire("down", &down);
  printf(",\"firstPacketAtMs\":%.3f", up.firstTakenAt * 1e3);
  printf(",\"firstReplyMs\":%.3f", (down.firstArrivedAt - up.firstTakenAt) * 1e3);
  printf(",\"lastDataMs\":%.3f}\n", (down.lastDataAt - up.firstTakenAt) * 1e3);
  for (Wire *wire = &up; wire != NULL; wire = wire == &up ? &down : NULL) {
    wire->packets = wire->bytes = wire->dropped = 0;
    wire->firstTakenAt = wire->firstArrivedAt = wire->lastDataAt = 0;
  }
}

static void sleepUntilEvent(void) {
  double next = nextArrival(&up) < nextArrival(&down) ? nextArrival(&up) : nextArrival(&down);
  double wait = next - now();
  if (wait < 0) wait = 0;
  if (wait > 1) wait = 1;
  struct timespec timeout = {.tv_sec = (time_t)wait, .tv_nsec = (long)((wait - (time_t)wait) * 1e9)};
  struct pollfd devices[] = {{.fd = up.from, .events = POLLIN}, {.fd = down.from, .events = POLLIN}};
  // Signals come in here and nowhere else: none is missed between a look at the flags and the sleep.
  sigset_t none;
  sigemptyset(&none);
  ppoll(devices, 2, &timeout, &none);
}

int main(int count, char **arguments) {
  if (count != 5 && count != 6) {
    fprintf(stderr, "usage: link DELAY_MS DOWN_BITS_PER_S UP_BITS_PER_S QUEUE_PACKETS [TRACE_FILE]\n");
    return 2;
  }
  if (count == 6 && (trace = fopen(arguments[5], "we")) == NULL) fail(arguments[5]);
  delaySeconds = atof(arguments[1]) / 1e3;
  down.bitsPerSecond = atof(arguments[2]);
  up.bitsPerSecond = atof(arguments[3]);
  queuePackets = (unsigned long)atol(arguments[4]);
  up.ring = calloc(ringPackets, sizeof(Packet));
  down.ring = calloc(ringPackets, sizeof(Packet));
  if (up.ring == NULL || down.ring == NULL) fail("memory");
  snprintf(clientName, sizeof clientName, "la%dc", (int)getpid());
  snprintf(serverName, sizeof serverName, "la%ds", (int)getpid());

  signal(SIGUSR1, onReport);
  signal(SIGTERM, onStop);
  signal(SIGINT, onStop);
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  prctl(PR_SET_TIMERSLACK, 1UL); // ns; the default would add 50 us to each packet
  atexit(removeNamespaces);
  allowCubic();
  const char *const *addresses = delaySeconds < farSeconds ? nearAddresses : farAddresses;
  up.from = down.to = openEnd(clientName, addresses[0]);
  down.from = up.to = openEnd(serverName, addresses[1]);
  printf("{\"client\":\"%s\",\"server\":\"%s\",\"serverAddress\":\"%s\"}\n", clientName, serverName,
         addresses[1]);
  fflush(stdout);

  sigset_t ours;
  sigemptyset(&ours);
  sigaddset(&ours, SIGUSR1), sigaddset(&ours, SIGTERM), sigaddset(&ours, SIGINT);
  sigprocmask(SIG_BLOCK, &ours, NULL);
  while (!mustStop && getppid() != 1) {
    sleepUntilEvent();
    take(&up);
    take(&down);
    deliver(&up);
    deliver(&down);
    if (!mustReport) continue;
    mustReport = 0;
    report();
    fflush(stdout);
  }
  return 0;
}
