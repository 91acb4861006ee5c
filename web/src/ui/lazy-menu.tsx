/** A menu whose code is loaded when it is first opened: most people never open it. */
import { lazy, Suspense, useState } from "react";
import { IconButton } from "./button.tsx";
import type { IconName } from "./icon.tsx";
import type { MenuItem } from "./menu.tsx";

const Menu = lazy(async () => ({ default: (await import("./menu.tsx")).Menu }));

type LazyMenuProps = { icon: IconName; label: string; items: readonly MenuItem[] };

export function LazyMenu({ icon, label, items }: LazyMenuProps) {
  const [isWanted, setWanted] = useState(false);
  const closed = <IconButton icon={icon} label={label} aria-haspopup="menu" onClick={() => setWanted(true)} />;
  if (!isWanted) return closed;
  return (
    <Suspense fallback={closed}>
      <Menu trigger={<IconButton icon={icon} label={label} />} items={items} defaultOpen />
    </Suspense>
  );
}
