import { createUsers } from '../../src/accounts/users.ts';
import { createRedisStorage } from '../../src/platform/redis-storage.ts';
import { silentLog } from './log-lines.ts';
import { signedRecords } from './records.ts';
import type { World } from './world.ts';

const BATCH = 500;

/** Figures that the Telegram sandbox counted for a crowd of users. */
export interface CrowdFigures {
  reached: number;
  messages: number;
  more: [number, number][];
  missed_count: number;
}

/** Creates users in the Telegram sandbox and in the bot's storage. Returns a function that reads their figures. */
export async function crowd(
  { control, config, sandbox }: World,
  order: { first_id: number; count: number; blocked_every?: number },
): Promise<() => Promise<CrowdFigures>> {
  await control('POST', '/telegram/crowd', order);
  const storage = createRedisStorage({ url: config.redisUrl ?? '', log: silentLog() });
  const people = createUsers({ storage, records: signedRecords(storage), now: sandbox.clock.now });
  for (let at = 0; at < order.count; at += BATCH) {
    const some = Array.from(
      { length: Math.min(BATCH, order.count - at) },
      (_, one) => order.first_id + at + one,
    );
    await Promise.all(some.map((user) => people.recordActivity(user, 'en', undefined)));
  }
  await storage.close();
  return () => control<CrowdFigures>('GET', '/telegram/crowd');
}

/** Composes a broadcast without buttons, up to the preview before the choice of its audience. */
export async function compose(admin: ReturnType<World['person']>, text: string): Promise<void> {
  await admin.say('/broadcast');
  await admin.tapAndRead('New broadcast', 'Send or forward the message');
  await admin.sayAndRead(text, 'Buttons below it?');
  await admin.tapAndRead('No buttons', 'Users get exactly the main message');
}

/** Continues from the preview to the final check, for all users and immediately. */
export async function toEverybody(admin: ReturnType<World['person']>): Promise<void> {
  await admin.tap('Choose audience');
  await admin.tap('Everyone');
  await admin.tapAndRead('Now', 'Review and send');
}

/** Sends a file with an HTML caption to the bot, like a Telegram client. */
export async function sendFile(
  world: World,
  chat: number,
  part: 'photo' | 'video' | 'document' | 'animation',
  file: Uint8Array<ArrayBuffer>,
  caption: string,
): Promise<void> {
  const form = new FormData();
  form.set('caption_html', caption);
  form.set(part === 'animation' ? 'document' : part, new Blob([file]), `${part}.bin`);
  const response = await fetch(`${world.origin}/sandbox/telegram/chats/${chat}/messages`, {
    method: 'POST',
    body: form,
  });
  if (!response.ok) throw new Error(await response.text());
}
