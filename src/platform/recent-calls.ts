const MINUTE_MS = 60_000;
const MINUTES = 5;
/** Maximum number of durations stored per minute. All calls are counted. */
const TIMED = 500;

/** Result of one call. `why` is for the operator, and contains no secret and no user's name. */
export type Call =
  | { kind: 'answered' | 'limited'; ms?: number | undefined }
  | { kind: 'failed'; why: string };

/** Statistics of the calls to a service in this process. Times are in epoch milliseconds. */
export interface CallsSeen {
  lastSuccessAt: number | undefined;
  lastFailure: { at: number; why: string } | undefined;
  /** Number of failures since the last call that got a response. */
  failedInARow: number;
  /** Numbers of all, failed and rate-limited calls in the last five minutes. */
  calls: number;
  failed: number;
  limited: number;
  /** Median duration in milliseconds; `undefined` if no call was timed. */
  medianMs: number | undefined;
}

/** Recorder of call results, for this process only. */
export interface RecentCalls {
  note(call: Call): void;
  seen(): CallsSeen;
}

interface Minute {
  of: number;
  answered: number;
  failed: number;
  limited: number;
  times: number[];
}

/** Creates a recorder of call results. `now` returns epoch milliseconds. */
export function createRecentCalls({ now }: { now: () => number }): RecentCalls {
  let minutes: Minute[] = [];
  let lastSuccessAt: number | undefined;
  let lastFailure: CallsSeen['lastFailure'];
  let failedInARow = 0;

  function present(): Minute {
    const of = Math.floor(now() / MINUTE_MS);
    const last = minutes.at(-1);
    if (last?.of === of) return last;
    const begun: Minute = { of, answered: 0, failed: 0, limited: 0, times: [] };
    minutes = [...minutes.filter((minute) => isRecent(minute, of)), begun];
    return begun;
  }

  return {
    note(call) {
      const minute = present();
      if (call.kind === 'failed') lastFailure = { at: now(), why: call.why };
      else {
        lastSuccessAt = now();
        if (call.ms !== undefined) minute.times[(minute.answered + minute.limited) % TIMED] = call.ms;
      }
      failedInARow = call.kind === 'failed' ? failedInARow + 1 : 0;
      minute[call.kind] += 1;
    },
    seen() {
      const of = Math.floor(now() / MINUTE_MS);
      const recent = minutes.filter((minute) => isRecent(minute, of));
      const sum = (kind: Call['kind']) => recent.reduce((all, minute) => all + minute[kind], 0);
      const [failed, limited] = [sum('failed'), sum('limited')];
      return {
        ...{ lastSuccessAt, lastFailure, failedInARow, failed, limited },
        calls: sum('answered') + failed + limited,
        medianMs: median(recent.flatMap(({ times }) => times)),
      };
    },
  };
}

/** Returns whether a minute is one of the last {@link MINUTES}, including the current one. */
function isRecent(minute: Minute, of: number): boolean {
  return minute.of > of - MINUTES && minute.of <= of;
}

function median(times: number[]): number | undefined {
  const known = times.filter((ms) => ms !== undefined).toSorted((one, other) => one - other);
  return known[Math.floor((known.length - 1) / 2)];
}
