import type { Update } from 'grammy/types';
import { expect } from 'vitest';
import type { Receive, Received } from '../../src/telegram/updates.ts';
import { eventually } from './eventually.ts';

/** Creates an update handler that completes an update only when `end` is called. */
export function heldReceive() {
  const begun: number[] = [];
  const ends = new Map<number, (received: Received) => void>();
  const receive: Receive = ({ update_id: id }: Update) => {
    begun.push(id);
    return new Promise((resolve) => ends.set(id, resolve));
  };
  const end = async (id: number, kind: Received['kind'] = 'done') => {
    await eventually(() => expect(ends.has(id)).toBe(true));
    ends.get(id)?.({ kind });
  };
  return { begun, receive, end };
}
