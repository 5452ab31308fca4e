const MINUTE_MS = 60_000;
const MINUTES = 5;
/** Of each minute the last ones are known by their time; all are counted. */
const TIMED = 500;

/** What became of one call: `why` is for who runs the bot, and holds no secret and nobody's name. */
export type Call =
  | { kind: 'answered' | 'limited'; ms?: number | undefined }
  | { kind: 'failed'; why: string };

/** How the calls of a service went, as far as this process knows. Times are in epoch milliseconds. */
export interface CallsSeen {
  lastSuccessAt: number | undefined;
  lastFailure: { at: number; why: string } | undefined;
  /** How many failed since the last one that was answered. */
  failedInARow: number;
  /** Within the last five minutes. */
  calls: number;
  failed: number;
  limited: number;
  /** In milliseconds; `undefined` where none was timed. */
  medianMs: number | undefined;
}

/** Remembers how calls went, in this process alone. */
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

/** `now`: epoch milliseconds. */
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

/** The minute that has just begun counts as one of them. */
function isRecent(minute: Minute, of: number): boolean {
  return minute.of > of - MINUTES && minute.of <= of;
}

function median(times: number[]): number | undefined {
  const known = times.filter((ms) => ms !== undefined).toSorted((one, other) => one - other);
  return known[Math.floor((known.length - 1) / 2)];
}
