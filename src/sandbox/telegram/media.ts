interface StoredFile {
  readonly fileId: string;
  readonly uniqueId: string;
  /** Relative to where files are served: `photos/file_1.png`. */
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

/** As its sender says; nothing is read from the file. */
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

/** What a message can carry beside its text. */
export type Media = Photo | Document | Video;
export type MediaKind = Media['kind'];
