import type { Journal } from './journal.ts';
import { METHODS } from './methods/list.ts';
import type { ApiRequest, Method } from './methods/method.ts';
import { Refusal } from './refusal.ts';
import type { World } from './world.ts';

export type Answer =
  | { ok: true; result: unknown }
  | { ok: false; error_code: number; description: string; parameters?: { retry_after: number } };

const byName = new Map(METHODS.map((method) => [method.name.toLowerCase(), method]));

/** Finds a method by name. Case doesn't matter, as with Telegram. */
export const findMethod = (name: string): Method | undefined => byName.get(name.toLowerCase());

export const refusalAnswer = ({ status, message, retryAfter }: Refusal): Answer & { ok: false } => ({
  ok: false,
  error_code: status,
  description: message,
  ...(retryAfter !== undefined && { parameters: { retry_after: retryAfter } }),
});

export const statusOf = (answer: Answer): number => (answer.ok ? 200 : answer.error_code);

/** Executes a call and records it in the journal. */
export async function execute(
  method: Method,
  request: ApiRequest,
  { world, journal }: { world: World; journal: Journal },
): Promise<Answer> {
  const answer = await run(method, request, world);
  journal.note({
    method: method.name,
    params: request.params,
    status: statusOf(answer),
    ...(!answer.ok && { description: answer.description }),
  });
  return answer;
}

async function run(method: Method, request: ApiRequest, world: World): Promise<Answer> {
  try {
    return { ok: true, result: await method.run(request, world) };
  } catch (error) {
    if (error instanceof Refusal) return refusalAnswer(error);
    throw error;
  }
}
