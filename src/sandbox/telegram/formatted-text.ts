import { checkEntities, type Entity, withFoundEntities } from './entities.ts';
import { type FormattedText, parseHtml } from './html.ts';
import { badRequest } from './refusal.ts';

/** What is given of a text in a request. `entities` is unchecked. */
export interface GivenText {
  text: string;
  parse_mode?: string | undefined;
  entities?: unknown;
}

/** With all its tags; what is longer isn't read. */
const MAX_RAW = 65_536;

interface Limit {
  most: number;
  /** What is said of more. */
  problem: string;
}

/**
 * A text as Telegram keeps it: parsed, trimmed, with the links and commands it finds. Lengths are in UTF-16 units.
 * Of the parse modes only HTML is read.
 */
function formatText({ text, parse_mode, entities }: GivenText, limit: Limit): FormattedText {
  if (text.length > MAX_RAW) throw badRequest(limit.problem);
  if (parse_mode !== undefined && parse_mode !== '') {
    if (parse_mode.toLowerCase() !== 'html') throw badRequest('unsupported parse_mode');
    return finish(parseHtml(text), limit);
  }
  return finish({ text, entities: entities === undefined ? [] : checkEntities(entities, text) }, limit);
}

/** The text of a message: 1 to 4096 units. An edit that is too long is refused in other words. */
export function formatMessageText(given: Partial<GivenText>, isEdit = false): FormattedText {
  if (given.text === undefined || given.text === '') throw badRequest('message text is empty');
  const formatted = formatText(
    { ...given, text: given.text },
    { most: 4096, problem: isEdit ? 'MESSAGE_TOO_LONG' : 'message is too long' },
  );
  if (formatted.text === '') throw badRequest('text must be non-empty');
  return formatted;
}

/** The caption of a file: up to 1024 units, or none. */
export function formatCaption(given: Partial<GivenText>, isEdit = false): FormattedText {
  return formatText(
    { ...given, text: given.text ?? '' },
    { most: 1024, problem: isEdit ? 'MEDIA_CAPTION_TOO_LONG' : 'message caption is too long' },
  );
}

function finish({ text, entities }: FormattedText, { most, problem }: Limit): FormattedText {
  const firstEntity = entities[0]?.offset ?? text.length;
  const start = Math.min(text.length - text.trimStart().length, firstEntity);
  const trimmed = text.slice(start).trimEnd();
  if (trimmed.length > most) throw badRequest(problem);
  const kept = entities.flatMap((entity): Entity[] => {
    const offset = entity.offset - start;
    const length = Math.min(entity.length, trimmed.length - offset);
    return length > 0 ? [{ ...entity, offset, length }] : [];
  });
  return { text: trimmed, entities: withFoundEntities(trimmed, kept) };
}
