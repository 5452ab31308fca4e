import { readdirSync, readFileSync } from 'node:fs';

/** CPU seconds used up to now by each watched process and by the whole machine. */
export interface CpuReading {
  at: number;
  byProcess: Record<string, number>;
  machine: number;
}

const TICKS_PER_S = 100;
const NS_PER_S = 1e9;

/** Reads the CPU counters of Linux in /proc. */
export function readCpu(pids: Readonly<Record<string, number>>): CpuReading {
  const byProcess = Object.entries(pids).map(([name, pid]) => [name, cpuOf(pid)]);
  return { at: performance.now(), byProcess: Object.fromEntries(byProcess), machine: machineCpu() };
}

/** Returns the CPU seconds between two readings, and the fraction of all processors that other processes used. */
export function cpuBetween(before: CpuReading, after: CpuReading, processors: number) {
  const names = Object.keys(after.byProcess);
  const used = names.map((name) => [name, (after.byProcess[name] ?? 0) - (before.byProcess[name] ?? 0)]);
  const byProcess: Record<string, number> = Object.fromEntries(used);
  const own = Object.values(byProcess).reduce((sum, one) => sum + one, 0);
  const seconds = (after.at - before.at) / 1000;
  const foreign = Math.max(0, after.machine - before.machine - own) / (seconds * processors);
  return { byProcess, seconds, foreign };
}

/** Sums nanoseconds over all threads. Ended threads are not counted, but the app's threads don't end. */
function cpuOf(pid: number): number {
  let ns = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const [ran = '0'] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
    ns += Number(ran);
  }
  return ns / NS_PER_S;
}

function machineCpu(): number {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const [user = 0, nice = 0, system = 0, , , , , steal = 0] = line.split(/\s+/).slice(1).map(Number);
  return (user + nice + system + steal) / TICKS_PER_S;
}

/** Returns the resident memory of a process, in bytes. */
export function memoryOf(pid: number): number {
  const [, kb = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kb) * 1024;
}

/** Watches the memory of a process that may be restarted. Figures are in bytes. */
export function watchMemory(pid: () => number, everyMs = 100) {
  let [most, last] = [0, 0];
  const timer = setInterval(() => {
    try {
      last = memoryOf(pid());
      most = Math.max(most, last);
    } catch {
      // The process is just being restarted.
    }
  }, everyMs);
  return {
    most: () => most,
    last: () => last,
    /** Forgets the maximum. */
    reset() {
      most = 0;
    },
    stop: () => clearInterval(timer),
  };
}

export const mb = (bytes: number) => Math.round(bytes / 1024 / 1024);
