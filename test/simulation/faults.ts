/** Kinds of calls between an instance of the bot and the outside. */
export type BoundaryKind = 'storage' | 'service' | 'telegram' | 'delivery' | 'timer';

/** One crossing of a boundary. */
export interface Crossing {
  kind: BoundaryKind;
  /** Such as `replace operation:{502}:7Q2K9F3M` or `POST /energy/buy`. */
  name: string;
  /** Whether it may change something outside. */
  changes: boolean;
}

/**
 * Faults at a crossing. `stop`: the whole process stops before the call and continues later, as `delay` does one call.
 * `crash-each`: this process and the next ones crash after each call of this name.
 */
export const FAULT_KINDS = [
  'crash-before',
  'crash-after',
  'lose-result',
  'repeat',
  'delay',
  'stop',
  'crash-each',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** A single fault at the crossing of this number. */
export interface Fault {
  at: number;
  kind: FaultKind;
}

/**
 * Returns the faults whose effects differ at a crossing. A crash at a read has the effect of a crash at the next change.
 * Only the sender repeats an HTTP request.
 */
export function faultsAt({ kind, name, changes }: Crossing): FaultKind[] {
  switch (kind) {
    case 'storage': {
      if (!changes) return ['lose-result'];
      const all: FaultKind[] = ['crash-before', 'crash-after', 'lose-result', 'repeat', 'delay'];
      // Most writes to indexes repeat regularly. `delay` makes them late, too.
      return name.startsWith('index.') ? all : [...all, 'stop'];
    }
    case 'telegram':
      if (name === 'sendMessage' || name === 'sendPhoto')
        return ['crash-before', 'crash-after', 'lose-result', 'delay', 'crash-each'];
      return changes ? ['crash-before', 'crash-after', 'lose-result', 'delay'] : ['lose-result'];
    case 'service':
      return changes ? ['crash-before', 'crash-after', 'lose-result', 'delay'] : ['lose-result'];
    case 'delivery':
      return ['lose-result', 'repeat', 'delay'];
    case 'timer':
      return ['crash-before'];
  }
}
