import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Redis } from 'ioredis';
import { Pool } from 'undici';
import { fill, type RecordedReplies } from './recorded-replies.ts';

/**
 * Floor of the comparison: a minimal update handler that makes the same calls as the bot did, with one GET and one
 * SET per update. Runs in a separate process: `floor.ts <port> <redis> <stand-ins> <file of the recorded replies>`.
 */
async function run([port, redisUrl = '', standIns = '', file = '']: string[]): Promise<void> {
  const replies: RecordedReplies = JSON.parse(readFileSync(file, 'utf8'));
  const redis = new Redis(redisUrl);
  const telegram = new Pool(standIns, { connections: 50 });
  const rental = new Pool(standIns, { connections: 50 });
  const session = JSON.stringify({
    question: 1,
    draft: { operation: 'abcdefgh', message: 1 },
    handled: [1, 2, 3],
  });

  async function answer(text: string): Promise<void> {
    const { message, callback_query: tap } = JSON.parse(text);
    const chat: number = (message ?? tap).from.id;
    const reply = replies[message?.text ?? tap.data];
    if (reply === undefined) throw new Error(`nothing is recorded for ${message?.text ?? tap.data}`);
    const asked = { chat, tap: tap?.id ?? '', message: (message ?? tap.message).message_id };
    await redis.get(`chat:{${chat}}`);
    for (const { to, method, path, body, key } of reply.calls) {
      const headers = { 'content-type': 'application/json', ...(key && { 'x-api-key': fill(key, asked) }) };
      const request = { path, method: method === 'GET' ? 'GET' : 'POST', headers } as const;
      const filled = body.length === 0 ? null : fill(body, asked);
      const answered = await (to === 'telegram' ? telegram : rental).request({ ...request, body: filled });
      JSON.parse(await answered.body.text());
    }
    await redis.set(`chat:{${chat}}`, session);
  }

  createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const end = (status: number) => response.writeHead(status, { 'content-length': 0 }).end();
      answer(Buffer.concat(chunks).toString('utf8')).then(
        () => end(200),
        (error: Error) => {
          process.stderr.write(`${error.message}\n`);
          end(500);
        },
      );
    });
  }).listen(Number(port), '127.0.0.1', () => process.send?.('listening'));
}

process.once('disconnect', () => process.exit(0));
void run(process.argv.slice(2));
