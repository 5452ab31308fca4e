/** Counts whole values in a stream of RESP (https://redis.io/docs/latest/develop/reference/protocol-spec/). */
export interface RespCounter {
  /** How many values at the top end within this chunk; what Redis pushes unasked isn't one. */
  feed(chunk: Uint8Array): number;
  /** Whether no value is half read. */
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
  /** How many elements each open list still waits for, the outermost first. */
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
