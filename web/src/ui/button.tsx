import type { ComponentProps } from "react";
import type { IconName } from "./icon.tsx";
import { Icon } from "./icon.tsx";

type Look = "plain" | "primary" | "danger" | "quiet";

const looks: Record<Look, string> = {
  plain: "border border-line-strong bg-surface text-ink hover:bg-hover",
  primary: "border border-accent bg-accent text-accent-ink hover:opacity-90",
  danger: "border border-line-strong bg-surface text-bad hover:bg-bad-soft",
  quiet: "border border-transparent text-muted hover:bg-hover hover:text-ink",
};

type ButtonProps = ComponentProps<"button"> & { look?: Look; icon?: IconName; keys?: string };

/** `keys`: the shortcut that does the same, shown behind its name. */
export function Button({ look = "plain", icon, keys, className = "", children, ...props }: ButtonProps) {
  return (
    <button
      type="button"
      className={`inline-flex h-7 items-center gap-1.5 rounded-md px-2.5 whitespace-nowrap disabled:opacity-50 ${looks[look]} ${className}`}
      {...props}
    >
      {icon && <Icon name={icon} className="size-3.5" />}
      {children}
      {keys && <Kbd>{keys}</Kbd>}
    </button>
  );
}

/** Its label is for screen readers, and shown on hover. */
export function IconButton({
  icon,
  label,
  className = "",
  ...props
}: ComponentProps<"button"> & { icon: IconName; label: string }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={`inline-flex size-7 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink disabled:opacity-50 ${className}`}
      {...props}
    >
      <Icon name={icon} />
    </button>
  );
}

export function Kbd({ children }: { children: string }) {
  return (
    <kbd
      className="rounded-sm border pointer-coarse:hidden border-current/30 px-1 font-mono text-xs opacity-80"
      aria-hidden="true"
    >
      {children}
    </kbd>
  );
}
