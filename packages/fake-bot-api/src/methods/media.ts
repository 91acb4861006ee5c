/** Methods that send and fetch files. */
import type { Message } from "grammy/types";
import { z } from "zod";
import { badRequest } from "../bot-api-error.ts";
import type { StoredFile } from "../state/file-store.ts";
import { asDocument, asFile, asPhoto, newAlbumId } from "../state/file-store.ts";
import type { MessageContent } from "../state/messages.ts";
import { entitySchema } from "../text/entity.ts";
import { formatCaption } from "../text/format-text.ts";
import { json, type Method, type MethodCall, method, text } from "./method.ts";
import { entities, sendTo, target } from "./send-messages.ts";

const maxDownloadBytes = 20 * 1024 * 1024;

type Kind = "photo" | "document";
type Caption = {
  caption?: string | undefined;
  parse_mode?: string | undefined;
  caption_entities?: Message["caption_entities"] | undefined;
};

/** An upload, an `attach://` reference to one, or the id of a file that Telegram already has. */
function findFile(call: MethodCall, kind: Kind, field: string, value: string | undefined): StoredFile {
  const upload = call.files.get(value?.startsWith("attach://") ? value.slice("attach://".length) : field);
  if (upload) {
    if (upload.bytes.length === 0) throw badRequest("file must be non-empty");
    return call.world.files.add(`${kind}s`, upload.name, upload.bytes);
  }
  if (!value) throw badRequest(`there is no ${kind} in the request`);
  const known = call.world.files.find(value);
  if (!known) throw badRequest("wrong remote file identifier specified: Wrong string length");
  return known;
}

function contentOf(kind: Kind, file: StoredFile, args: Caption): MessageContent {
  const { caption, parse_mode: parseMode, caption_entities } = args;
  const formatted = caption ? formatCaption({ text: caption, parseMode, entities: caption_entities }) : undefined;
  return {
    ...(kind === "photo" ? { photo: asPhoto(file) } : { document: asDocument(file) }),
    ...(formatted?.text ? { caption: formatted.text } : {}),
    ...(formatted && formatted.entities.length > 0 ? { caption_entities: formatted.entities } : {}),
  };
}

const caption = { caption: text.optional(), parse_mode: text.optional(), caption_entities: entities };
const mediaSchema = z.array(
  z.object({
    type: z.enum(["photo", "document"]),
    media: z.string(),
    caption: z.string().optional(),
    parse_mode: z.string().optional(),
    caption_entities: z.array(entitySchema).optional(),
  }),
);

export const mediaMethods: Record<string, Method> = {
  sendDocument: method({ ...target, ...caption, document: text.optional() }, (world, args, call) => {
    const file = findFile(call, "document", "document", args.document);
    return sendTo(world, args, [contentOf("document", file, args)])[0];
  }),

  sendPhoto: method({ ...target, ...caption, photo: text.optional() }, (world, args, call) => {
    const file = findFile(call, "photo", "photo", args.photo);
    return sendTo(world, args, [contentOf("photo", file, args)])[0];
  }),

  sendMediaGroup: method({ ...target, media: json(mediaSchema) }, (world, args, call) => {
    if (args.media.length < 2 || args.media.length > 10) throw badRequest("expected 2-10 items in the album");
    if (new Set(args.media.map(({ type }) => type)).size > 1) {
      throw badRequest("Can't use the media of the specified type in the album");
    }
    const album = { media_group_id: newAlbumId() };
    const contents = args.media.map((item) => {
      const file = findFile(call, item.type, item.media, item.media);
      return { ...contentOf(item.type, file, item), ...album };
    });
    return sendTo(world, args, contents);
  }),

  getFile: method({ file_id: text }, (world, args) => {
    const file = world.files.find(args.file_id);
    if (!file) throw badRequest("invalid file_id");
    if (file.bytes.length > maxDownloadBytes) throw badRequest("file is too big");
    return asFile(file);
  }),
};
