import { totalmem } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

const NANOSECONDS = 1e6;
/** Interval at which the event loop is sampled, in milliseconds. Each sample contains it. */
const RESOLUTION_MS = 100;

/** Starts to measure the delay of this process's event loop. Doesn't keep the process alive. */
export function watchEventLoop() {
  const options = { resolution: RESOLUTION_MS };
  const [longest, mean] = [monitorEventLoopDelay(options), monitorEventLoopDelay(options)];
  longest.enable();
  mean.enable();
  return {
    /** Returns the longest delay since the last call, in milliseconds. */
    longestMs(): number {
      const ms = longest.max / NANOSECONDS;
      longest.reset();
      return ms;
    },
    /** Returns the mean delay since the last call, in milliseconds. */
    meanMs(): number {
      const ms = mean.count > 0 ? mean.mean / NANOSECONDS - RESOLUTION_MS : 0;
      mean.reset();
      return Math.max(0, ms);
    },
    stop(): void {
      longest.disable();
      mean.disable();
    },
  };
}

/**
 * Returns the share of its memory that this process uses, in percent, and that limit in bytes: the heap limit of Node, or
 * the limit of the container, whichever is nearer.
 */
export function readMemory(): { percent: number; maxBytes: number } {
  const { used_heap_size: heap, heap_size_limit: heapLimit } = getHeapStatistics();
  const container = process.constrainedMemory();
  // Without a limit, this is 0 or a number above the memory of the machine.
  const isLimited = container > 0 && container < totalmem();
  const shares = [
    { used: heap, maxBytes: heapLimit },
    ...(isLimited ? [{ used: process.memoryUsage.rss(), maxBytes: container }] : []),
  ].map(({ used, maxBytes }) => ({ percent: Math.round((100 * used) / maxBytes), maxBytes }));
  return shares.reduce((one, other) => (other.percent > one.percent ? other : one));
}
