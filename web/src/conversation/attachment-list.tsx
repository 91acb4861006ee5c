import type { Attachment } from "waybill/client";
import { Icon } from "../ui/icon.tsx";
import { exactText } from "../ui/safe-text.ts";

export function AttachmentList({ attachments }: { attachments: readonly Attachment[] }) {
  if (attachments.length === 0) return null;
  return (
    <ul className="mt-1 flex flex-wrap gap-1.5" aria-label="Attachments">
      {attachments.map(({ id, name, size }) => (
        <li key={`${id} ${name}`}>
          <a
            href={`/v1/attachments/${id}`}
            download={name}
            className="inline-flex items-center gap-1.5 rounded-md border border-line bg-surface px-2 py-0.5 text-sm hover:bg-hover"
          >
            <Icon name="paperclip" className="size-3.5" /> {exactText(name)}{" "}
            <span className="text-faint">{sizeWords(size)}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

export function sizeWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(0)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
