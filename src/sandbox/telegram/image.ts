export interface ImageKind {
  extension: 'png' | 'jpg';
  mime: 'image/png' | 'image/jpeg';
  width: number;
  height: number;
}

/** Reads kind and size of an image from its header. Returns undefined for anything but PNG and JPEG. */
export function readImage(bytes: Uint8Array): ImageKind | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return readPng(view) ?? readJpeg(view);
}

function readPng(view: DataView): ImageKind | undefined {
  const isPng = view.byteLength >= 24 && view.getUint32(0) === 0x89504e47 && view.getUint32(4) === 0x0d0a1a0a;
  if (!isPng) return undefined;
  return { extension: 'png', mime: 'image/png', width: view.getUint32(16), height: view.getUint32(20) };
}

/** Skips segments until the frame header (SOF0 to SOF15, without DHT, JPG and DAC). */
function readJpeg(view: DataView): ImageKind | undefined {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 9 <= view.byteLength && view.getUint8(at) === 0xff; ) {
    const marker = view.getUint8(at + 1);
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return {
        extension: 'jpg',
        mime: 'image/jpeg',
        width: view.getUint16(at + 7),
        height: view.getUint16(at + 5),
      };
    }
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}
