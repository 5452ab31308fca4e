import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import type { BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { test } from 'vitest';
import { z } from 'zod';
import { createSandbox, type Sandbox } from '../../src/sandbox/server.ts';
import { sharedBrowser } from './browser.ts';

const TOKEN = '700:chat-page';
/** Without motion: each picture of it is drawn by the processor. */
const USUAL: BrowserContextOptions = { viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' };
const message = z.object({ message_id: z.number() });
const updates = z.array(
  z.object({
    update_id: z.number(),
    message: z.looseObject({ text: z.string().optional(), chat: z.object({ id: z.number() }) }).optional(),
    callback_query: z.object({ id: z.string(), data: z.string() }).optional(),
  }),
);

export type Update = z.output<typeof updates>[number];

/** The sandbox served, a browser, and the bot's side of the conversation by hand. */
export interface ChatPage {
  sandbox: Sandbox;
  origin: string;
  /** An empty page, and nobody else's cookies or storage. */
  newPage(options?: BrowserContextOptions): Promise<Page>;
  /** The page as that person, or as those two side by side, and nobody else's cookies or storage. */
  open(person: number | [number, number], options?: BrowserContextOptions): Promise<Page>;
  /** The person writes from elsewhere; so the bot may write to them. */
  write(person: number, text: string): Promise<void>;
  /** The bot sends; answers the message's number. */
  send(chat: number, text: string, more?: object): Promise<number>;
  call(method: string, params: object): Promise<unknown>;
  /** The same, with a file. */
  upload(method: string, form: FormData): Promise<unknown>;
  /** The next update the bot is given. */
  nextUpdate(): Promise<Update>;
  /** A call of the rental service's API with this key. */
  rent(key: string, path: string, body: object): Promise<Response>;
  /** Closes what was opened, and ends. */
  close(): Promise<void>;
}

/** More pages at once only wait for the processor longer. */
const inTurn = atMost(2);

/** A test with a chat page of its own, beside which the others of its file run. */
export function testPage(name: string, journey: (chat: ChatPage) => Promise<void>): void {
  test.concurrent(name, () =>
    inTurn(async () => {
      const chat = await startChatPage();
      try {
        await journey(chat);
      } finally {
        await chat.close();
      }
    }),
  );
}

function atMost(places: number) {
  let free = places;
  const waiting: (() => void)[] = [];
  return async (work: () => Promise<void>): Promise<void> => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}

async function startChatPage(): Promise<ChatPage> {
  const sandbox = createSandbox({ token: TOKEN, limits: false });
  const { server, origin } = await listen(sandbox);
  const browser = await sharedBrowser();
  const contexts: BrowserContext[] = [];
  const queue: Update[] = [];
  let offset = 0;

  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(origin + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const call = async (method: string, params: object) =>
    result(await post(`/telegram/bot${TOKEN}/${method}`, params));
  const fetchUpdates = async (timeout: number) => {
    queue.push(...updates.parse(await call('getUpdates', { offset, timeout })));
    offset = (queue.at(-1)?.update_id ?? offset - 1) + 1;
  };

  const newPage = async (options: BrowserContextOptions = {}) => {
    const context = await browser.newContext({ ...USUAL, ...options });
    contexts.push(context);
    return context.newPage();
  };

  return {
    sandbox,
    origin,
    newPage,
    async open(person, options) {
      const page = await newPage(options);
      await page.goto(`${origin}/#${person}`);
      await page.getByRole('heading', { name: 'Energy Rental' }).first().waitFor();
      return page;
    },
    async write(person, text) {
      await post(`/sandbox/telegram/chats/${person}/messages`, { text });
      await fetchUpdates(0);
      queue.length = 0;
    },
    async send(chat, text, more = {}) {
      return message.parse(await call('sendMessage', { chat_id: chat, text, parse_mode: 'HTML', ...more }))
        .message_id;
    },
    call,
    upload: async (method, body) =>
      result(await fetch(`${origin}/telegram/bot${TOKEN}/${method}`, { method: 'POST', body })),
    async nextUpdate() {
      if (queue.length === 0) await fetchUpdates(10);
      const update = queue.shift();
      if (!update) throw new Error('The bot was given no update');
      return update;
    },
    rent: (key, path, body) => post(`/api/v1${path}`, body, { 'X-API-Key': key }),
    async close() {
      // What a page is still asking for is nobody's failure once its test is over.
      const pages = contexts.flatMap((context) => context.pages());
      await Promise.all(pages.map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })));
      await Promise.all(contexts.map((context) => context.close()));
      sandbox.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** From now on what the page shows for some seconds stays, however long they are on a busy machine. */
export const holdNotices = (page: Page) => page.clock.pauseAt(Date.now() + 60_000);

/** One of two chats side by side, by whose it is. */
export const chatAs = (page: Page, name: string) => page.getByRole('region', { name: `Chat as ${name}` });
/** The text box. */
export const messageBox = (page: Page | Locator) =>
  page.getByRole('textbox', { name: 'Message', exact: true });
/** The log of messages. */
export const messageLog = (page: Page | Locator) => page.getByRole('log', { name: 'Conversation' });

const answer = z.object({ ok: z.literal(true), result: z.unknown() });
const result = async (response: Response) => answer.parse(await response.json()).result;

function listen(sandbox: Sandbox): Promise<{ server: Server; origin: string }> {
  return new Promise((resolve) => {
    const server = serve({ fetch: sandbox.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }: AddressInfo) =>
      resolve({ server, origin: `http://127.0.0.1:${port}` }),
    ) as Server;
    /* A connection that is closed as a request comes in would fail it. */
    server.keepAliveTimeout = 0;
  });
}
