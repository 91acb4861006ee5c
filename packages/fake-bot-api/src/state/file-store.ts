/** The files sent by either side. */
import { randomBytes, randomInt } from "node:crypto";
import type { Document, File, PhotoSize, Voice } from "grammy/types";

export type StoredFile = { id: string; uniqueId: string; path: string; name: string; bytes: Buffer };

export type FileStore = {
  add(kind: string, name: string, bytes: Buffer): StoredFile;
  find(id: string): StoredFile | undefined;
  findByPath(path: string): StoredFile | undefined;
};

export function createFileStore(): FileStore {
  const files = new Map<string, StoredFile>();
  return {
    add(kind, name, bytes) {
      const extension = /\.[\w-]+$/.exec(name)?.[0] ?? "";
      const file: StoredFile = {
        id: `file-${randomBytes(24).toString("base64url")}`,
        uniqueId: randomBytes(9).toString("base64url"),
        path: `${kind}/file_${files.size}${extension}`,
        name,
        bytes,
      };
      files.set(file.id, file);
      return file;
    },
    find: (id) => files.get(id),
    findByPath: (path) => [...files.values()].find((file) => file.path === path),
  };
}

const identity = ({ id, uniqueId, bytes }: StoredFile) => ({
  file_id: id,
  file_unique_id: uniqueId,
  file_size: bytes.length,
});

export const asFile = (file: StoredFile): File => ({ ...identity(file), file_path: file.path });
export const asPhoto = (file: StoredFile): PhotoSize[] => [{ ...identity(file), width: 320, height: 240 }];
export const asVoice = (file: StoredFile): Voice => ({ ...identity(file), duration: 1, mime_type: "audio/ogg" });
export const asDocument = (file: StoredFile, mimeType?: string): Document => ({
  ...identity(file),
  file_name: file.name,
  ...(mimeType ? { mime_type: mimeType } : {}),
});

/** The id that the messages of an album share. */
export const newAlbumId = () => String(randomInt(1e13, 1e14));
