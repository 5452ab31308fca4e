/** Counts complete values in a RESP stream (https://redis.io/docs/latest/develop/reference/protocol-spec/). */
export interface RespCounter {
  /** Returns how many top-level values end within this chunk. Pushed values don't count. */
  feed(chunk: Uint8Array): number;
  /** Returns whether the stream is between two values. */
  isWhole(): boolean;
}

const CR = 13;
const LF = 10;
const BULK = '$!=';
const LIST = '*~>';
const MAP = '%';

export function createRespCounter(): RespCounter {
  let header = '';
  let toSkip = 0;
  /** Number of missing elements of each open list, outermost first. */
  const open: number[] = [];
  let isPush = false;
  let ended = 0;

  function endValue(): void {
    while (open.length > 0) {
      const left = (open.pop() ?? 0) - 1;
      if (left > 0) {
        open.push(left);
        return;
      }
    }
    if (!isPush) ended += 1;
    isPush = false;
  }

  function take(line: string): void {
    const [kind = ''] = line;
    const length = Number(line.slice(1));
    if (open.length === 0) isPush = kind === '>';
    if (BULK.includes(kind)) {
      if (length < 0) endValue();
      else toSkip = length + 2;
    } else if (LIST.includes(kind) || kind === MAP) {
      if (length > 0) open.push(kind === MAP ? 2 * length : length);
      else endValue();
    } else endValue();
  }

  return {
    feed(chunk) {
      ended = 0;
      for (let at = 0; at < chunk.length; ) {
        if (toSkip > 0) {
          const step = Math.min(toSkip, chunk.length - at);
          at += step;
          toSkip -= step;
          if (toSkip === 0) endValue();
          continue;
        }
        const byte = chunk[at++];
        if (byte === LF) {
          const line = header;
          header = '';
          take(line);
        } else if (byte !== CR && byte !== undefined) header += String.fromCharCode(byte);
      }
      return ended;
    },
    isWhole: () => header === '' && toSkip === 0 && open.length === 0,
  };
}
