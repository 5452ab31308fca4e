interface StoredFile {
  readonly fileId: string;
  readonly uniqueId: string;
  /** Path relative to the base path of files, for example `photos/file_1.png`. */
  readonly path: string;
  readonly mime: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** https://core.telegram.org/bots/api#photosize */
export interface Photo extends StoredFile {
  readonly kind: 'photo';
  readonly width: number;
  readonly height: number;
}

/** https://core.telegram.org/bots/api#document */
export interface Document extends StoredFile {
  readonly kind: 'document';
  readonly name: string;
}

/** Size and duration as given by the sender. Nothing is read from the file. */
export interface VideoShape {
  readonly width: number;
  readonly height: number;
  /** In seconds. */
  readonly duration: number;
}

/** https://core.telegram.org/bots/api#video */
export interface Video extends StoredFile, VideoShape {
  readonly kind: 'video';
  readonly name: string;
}

/** File of a message. */
export type Media = Photo | Document | Video;
export type MediaKind = Media['kind'];
