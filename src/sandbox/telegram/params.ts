import type { HonoRequest } from 'hono';
import { badRequest } from './bot-api-error.ts';
import { readMultipart, type Upload, type Uploads } from './media.ts';

export interface Params {
  params: Record<string, unknown>;
  uploads: Uploads;
}

/**
 * Reads the parameters of a call from its query and its JSON, urlencoded or multipart body.
 * @throws BotApiError if the body can't be parsed
 */
export async function readParams(request: HonoRequest): Promise<Params> {
  const params: Record<string, unknown> = { ...request.query() };
  const uploads = new Map<string, Upload>();
  const type = request.header('content-type') ?? '';
  if (request.method !== 'POST') return { params, uploads };
  if (type.startsWith('application/json')) {
    Object.assign(params, readJson(await request.text()));
  } else if (type.startsWith('application/x-www-form-urlencoded')) {
    Object.assign(params, Object.fromEntries(new URLSearchParams(await request.text())));
  } else if (type.startsWith('multipart/form-data')) {
    const parts = readMultipart(type, new Uint8Array(await request.arrayBuffer()));
    if (!parts) throw badRequest('failed to parse the form');
    for (const { name, filename, content } of parts) {
      if (filename !== undefined) uploads.set(name, { bytes: content, filename });
      else params[name] = new TextDecoder().decode(content);
    }
  }
  return { params, uploads };
}

function readJson(body: string): object {
  if (body.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Rejected below, like values that aren't objects.
  }
  throw badRequest("can't parse JSON object");
}
