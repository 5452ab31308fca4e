import type { HonoRequest } from 'hono';
import { Refusal } from './refusal.ts';

/** Parameters of a path in the specification's form: `/invoices/{invoice_id}` has `{ invoice_id: number }`. */
export type PathParams<Path extends string> = { readonly [Name in NameIn<Path>]: number };

type NameIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NameIn<Rest>
  : never;

const PARAM = /\{(\w+)\}/g;

/** Converts a path to the router's syntax: `/invoices/:invoice_id`. */
export function routePath(path: string): string {
  return path.replace(PARAM, ':$1');
}

/** Parses the parameters of a request's path. @throws Refusal 422 if one isn't a number (section 4). */
export function readParams<Path extends string>(path: Path, request: HonoRequest): PathParams<Path> {
  const names = [...path.matchAll(PARAM)].map(([, name = '']) => name);
  return Object.fromEntries(
    names.map((name) => [name, readNumber(name, request.param(name))]),
  ) as PathParams<Path>;
}

function readNumber(name: string, text = ''): number {
  if (!/^\d{1,15}$/.test(text)) throw new Refusal(422, `${name}: expected a number`);
  return Number(text);
}
