/** A file of a multipart request. */
export interface Upload {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** As the sender calls it; perhaps nothing. */
  readonly filename: string;
}

/** The files of a multipart request, by the name of their part. */
export type Uploads = ReadonlyMap<string, Upload>;
