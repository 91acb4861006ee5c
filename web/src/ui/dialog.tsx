/** A modal dialog: closes with Escape, traps the focus, and restores it. */
import * as Radix from "@radix-ui/react-dialog";
import type { ReactNode } from "react";
import { IconButton } from "./button.tsx";

type DialogProps = {
  title: string;
  /** Read out with the title; null if the content is enough. */
  description?: string | null;
  open: boolean;
  onClose: () => void;
  wide?: boolean;
  children: ReactNode;
};

export function Dialog({ title, description = null, open, onClose, wide = false, children }: DialogProps) {
  return (
    <Radix.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-[rgb(0_0_0/35%)]" />
        <Radix.Content
          className={`fixed top-[10dvh] left-1/2 z-50 flex max-h-[80dvh] w-[calc(100vw-2rem)] -translate-x-1/2 flex-col overflow-hidden rounded-lg border border-line bg-raised shadow-raised ${wide ? "max-w-2xl" : "max-w-md"}`}
          {...(description === null ? { "aria-describedby": undefined } : {})}
        >
          <header className="flex items-center gap-2 border-b border-line py-2 pr-2 pl-4">
            <Radix.Title className="grow text-lg font-semibold">{title}</Radix.Title>
            <Radix.Close asChild>
              <IconButton icon="close" label="Close" />
            </Radix.Close>
          </header>
          {description !== null && (
            <Radix.Description className="px-4 pt-3 text-muted">{description}</Radix.Description>
          )}
          <div className="overflow-y-auto p-4">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
