/** Makes an image file that any program can show, with enough detail that it does not compress to nothing. */
import { deflateSync } from 'node:zlib';

const SIDE = 96;

export function picture() {
  const rows = Buffer.alloc(SIDE * (1 + SIDE * 3));
  for (let y = 0, at = 0; y < SIDE; y++) {
    at++; // No filter for this row.
    for (let x = 0; x < SIDE; x++) {
      rows[at++] = (x * x + y * 7) & 255;
      rows[at++] = (x * y) & 255;
      rows[at++] = (y * y + x * 13) & 255;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIDE, 0);
  header.writeUInt32BE(SIDE, 4);
  header.set([8, 2, 0, 0, 0], 8); // Eight bits for each of red, green and blue.
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(checksum(body), body.length + 4);
  return framed;
}

/** The CRC that the PNG format needs. Node has it only since 20.15. */
function checksum(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return (sum ^ 0xffffffff) >>> 0;
}
