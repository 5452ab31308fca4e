import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { respondWithError } from '../../../src/sandbox/rental/api-error.ts';
import { readParams, routePath } from '../../../src/sandbox/rental/endpoint.ts';

const PATH = '/shelves/{shelf_id}/books/{book_id}/open';

const ask = async (path: string) => {
  const app = new Hono().post(routePath(PATH), (c) => c.json(readParams(PATH, c.req)));
  app.onError(respondWithError);
  const response = await app.request(path, { method: 'POST' });
  return { status: response.status, json: await response.json() };
};

describe('the parameters of a path', () => {
  it('are numbers with names', async () => {
    expect(await ask('/shelves/12/books/0/open')).toEqual({
      status: 200,
      json: { shelf_id: 12, book_id: 0 },
    });
  });

  it.each(['one', '1.5', '-1', '1e3', '0x1', '%201', '1234567890123456'])('reject %j', async (text) => {
    expect(await ask(`/shelves/12/books/${text}/open`)).toEqual({
      status: 422,
      json: { detail: 'book_id: expected a number' },
    });
  });
});
