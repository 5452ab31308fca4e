import type { BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { test } from 'vitest';
import { z } from 'zod';
import { createSandbox, type Sandbox } from '../../src/sandbox/server.ts';
import { atMost } from './at-most.ts';
import { sharedBrowser } from './browser.ts';
import { startHttpServer } from './http-server.ts';

const TOKEN = '700:chat-page';
/** Reduces motion, because animations are rendered by the CPU. */
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

/** Served sandbox with a browser, and functions to act as the bot. */
export interface ChatPage {
  sandbox: Sandbox;
  origin: string;
  /** Opens an empty page with separate cookies and storage. */
  newPage(options?: BrowserContextOptions): Promise<Page>;
  /** Opens the chat page as one user, or as two users side by side, with separate cookies and storage. */
  open(person: number | [number, number], options?: BrowserContextOptions): Promise<Page>;
  /** Sends a text as the user without the page and discards the update. The bot may then write to the user. */
  write(person: number, text: string): Promise<void>;
  /** Sends a message as the bot. Returns the message ID. */
  send(chat: number, text: string, more?: object): Promise<number>;
  call(method: string, params: object): Promise<unknown>;
  /** Calls a Bot API method with a file. */
  upload(method: string, form: FormData): Promise<unknown>;
  /** Returns the next update of the bot. */
  nextUpdate(): Promise<Update>;
  /** Calls the rental API with this key. */
  rent(key: string, path: string, body: object): Promise<Response>;
  /** Closes all pages and stops the sandbox. */
  close(): Promise<void>;
}

/** Limits concurrent tests. More pages at once would only wait longer for the CPU. */
const inTurn = atMost(2);
/** Timeout of a test in milliseconds, which includes the wait for its turn. */
const TIMEOUT_MS = 600_000;

/** Defines a test with a separate chat page. It runs concurrently with other tests of its file. */
export function testPage(name: string, journey: (chat: ChatPage) => Promise<void>): void {
  test.concurrent(name, { timeout: TIMEOUT_MS }, () =>
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

async function startChatPage(): Promise<ChatPage> {
  const sandbox = createSandbox({ token: TOKEN, limits: false });
  const { origin, close } = await startHttpServer(sandbox.fetch);
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
      if (!update) throw new Error('The bot received no update');
      return update;
    },
    rent: (key, path, body) => post(`/api/v1${path}`, body, { 'X-API-Key': key }),
    async close() {
      // Requests that are pending at the end of a test must not fail it.
      const pages = contexts.flatMap((context) => context.pages());
      await Promise.all(pages.map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })));
      await Promise.all(contexts.map((context) => context.close()));
      sandbox.stop();
      await close();
    },
  };
}

/** Pauses the page's clock, so that temporary messages stay visible on a slow machine. */
export const holdNotices = (page: Page) => page.clock.pauseAt(Date.now() + 60_000);

/** Returns the visible elements that reach beyond the right edge of the window. */
export const overflowing = (page: Page) =>
  page.evaluate(`[...document.querySelectorAll('body, body *')]
    .filter((element) => element.checkVisibility() && element.getBoundingClientRect().right > innerWidth + 1)
    .map((element) => element.className || element.tagName)`);

/** Collects from now on what a page requests from other origins, its console messages and its errors. */
export function complaintsOf(page: Page, origin: string): string[] {
  const complaints: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(origin)) complaints.push(request.url());
  });
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  return complaints;
}

/** Returns one of two chats side by side, by the user's name. */
export const chatAs = (page: Page, name: string) => page.getByRole('region', { name: `Chat as ${name}` });
export const messageBox = (page: Page | Locator) =>
  page.getByRole('textbox', { name: 'Message', exact: true });
export const messageLog = (page: Page | Locator) => page.getByRole('log', { name: 'Conversation' });

const answer = z.object({ ok: z.literal(true), result: z.unknown() });
const result = async (response: Response) => answer.parse(await response.json()).result;
