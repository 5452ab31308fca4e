export interface Part {
  name: string;
  /** Name of a file, possibly empty. Undefined if the part isn't a file. */
  filename: string | undefined;
  content: Uint8Array<ArrayBuffer>;
}

/**
 * Parses a multipart/form-data body. Returns undefined if it is malformed. Node's `formData()` rejects grammY's headers
 * (`content-disposition:form-data;name="x"`, without spaces), which Telegram accepts.
 */
export function readMultipart(contentType: string, body: Uint8Array<ArrayBuffer>): Part[] | undefined {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined) return undefined;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const delimiter = `--${boundary}`;
  const parts: Part[] = [];
  let start = bytes.indexOf(delimiter);
  while (start >= 0) {
    start += delimiter.length;
    if (bytes.toString('latin1', start, start + 2) === '--') return parts;
    const headersEnd = bytes.indexOf('\r\n\r\n', start);
    const end = bytes.indexOf(`\r\n${delimiter}`, headersEnd);
    if (headersEnd < 0 || end < 0) return undefined;
    const headers = bytes.toString('utf8', start, headersEnd);
    const name = /^content-disposition:.*?[;\s]name="([^"]*)"/im.exec(headers)?.[1];
    if (name === undefined) return undefined;
    const content = new Uint8Array(bytes.subarray(headersEnd + 4, end));
    parts.push({ name, filename: readFilename(headers), content });
    start = end + 2;
  }
  return undefined;
}

/** Parses a file name: quoted, with `%22` escapes as browsers send it, or bare to the end of the line, as grammY sends it. */
function readFilename(headers: string): string | undefined {
  const found = /^content-disposition:.*?[;\s]filename=(?:"((?:\\.|[^"\\])*)"|([^\r\n]*))/im.exec(headers);
  if (!found) return undefined;
  const [, quoted, bare = ''] = found;
  return (
    quoted?.replace(/\\(.)/g, '$1').replace(/%(?:22|0d|0a)/gi, (sign) => decodeURIComponent(sign)) ??
    bare.trim()
  );
}
