/** A menu behind a button. */
import * as Radix from "@radix-ui/react-dropdown-menu";
import type { ReactNode } from "react";
import type { IconName } from "./icon.tsx";
import { Icon } from "./icon.tsx";

export type MenuItem = { label: string; icon?: IconName; danger?: boolean; disabled?: boolean; run: () => void };

type MenuProps = { trigger: ReactNode; items: readonly MenuItem[]; defaultOpen?: boolean };

export function Menu({ trigger, items, defaultOpen = false }: MenuProps) {
  return (
    <Radix.Root modal={false} defaultOpen={defaultOpen}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align="end"
          sideOffset={4}
          className="z-50 min-w-44 rounded-md border border-line bg-raised p-1 shadow-raised"
        >
          {items.map(({ label, icon, danger = false, disabled = false, run }) => (
            <Radix.Item
              key={label}
              disabled={disabled}
              onSelect={run}
              className={`flex h-7 items-center gap-2 rounded-sm px-2 outline-none data-disabled:opacity-50 data-highlighted:bg-hover ${danger ? "text-bad" : ""}`}
            >
              {icon && <Icon name={icon} className="size-3.5" />}
              {label}
            </Radix.Item>
          ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
