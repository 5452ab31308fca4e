import { vi } from 'vitest';
import type { Telegram } from '../../src/telegram/telegram.ts';

/** Id of every message that the stand-in sends. */
const SENT_MESSAGE = 77;

/** Returns clients of the Bot API for messages without an update, which record what they send and edit. */
export function standInSender() {
  type Sender = Telegram['sender'];
  const sent = async () => ({ kind: 'sent', messageId: SENT_MESSAGE }) as const;
  const edited = async (_chat: number, messageId: number) => ({ kind: 'sent', messageId }) as const;
  const sender = {
    send: vi.fn<Sender['send']>(sent),
    sendInBulk: vi.fn<Sender['sendInBulk']>(sent),
    sendPhoto: vi.fn<Sender['sendPhoto']>(sent),
    edit: vi.fn<Sender['edit']>(edited),
    editPhoto: vi.fn<Sender['editPhoto']>(edited),
    delete: vi.fn<Sender['delete']>(edited),
    canReach: vi.fn<Sender['canReach']>(async () => true),
  };
  return {
    ...sender,
    /** Returns the number of calls so far. */
    count: () => Object.values(sender).reduce((sum, { mock }) => sum + mock.calls.length, 0),
    telegram: {
      client: {} as Telegram['client'],
      api: {} as Telegram['api'],
      sender,
      copier: { copy: vi.fn<Telegram['copier']['copy']>() },
      use() {},
      close: async () => undefined,
    } satisfies Telegram,
  };
}
