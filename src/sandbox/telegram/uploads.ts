/** File of a multipart request. */
export interface Upload {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Name given by the sender, possibly empty. */
  readonly filename: string;
}

/** Files of a multipart request by part name. */
export type Uploads = ReadonlyMap<string, Upload>;
