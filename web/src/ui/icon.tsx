/** The page's icons: lines on a grid of 16, in the colour of the text around them. */
const paths = {
  bell: "M3.5 11.5c1-1 1-2.5 1-4.5a3.5 3.5 0 0 1 7 0c0 2 0 3.5 1 4.5zM6.5 13.5a1.6 1.6 0 0 0 3 0",
  bellOff:
    "M3.5 11.5c1-1 1-2.5 1-4.5M6.3 4a3.5 3.5 0 0 1 5.2 3c0 2 0 3.5 1 4.5H6.5M6.5 13.5a1.6 1.6 0 0 0 3 0M2.5 2.5l11 11",
  check: "m3 8.5 3.2 3.2L13 4.8",
  checks: "m1 8.5 3 3 6-6.5M7.5 11l.7.7L15 4.8",
  clock: "M8 4.5V8l2.3 1.6M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0Z",
  close: "m4 4 8 8m0-8-8 8",
  copy: "M5.5 5.5v-3h8v8h-3m-8-5h8v8h-8z",
  chevron: "m6 4 4 4-4 4",
  cross: "m4.5 4.5 7 7m0-7-7 7",
  dots: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  file: "M4 2h5l3.5 3.5V14H4zM9 2v3.5h3.5",
  folder: "M2 4h4l1.5 2H14v7H2z",
  gear: "M8 10.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4ZM8 2v1.8M8 12.2V14M2 8h1.8M12.2 8H14M3.8 3.8l1.2 1.2M11 11l1.2 1.2M3.8 12.2 5 11M11 5l1.2-1.2",
  hand: "M5 8V4a1 1 0 0 1 2 0v3m0-3.5V3a1 1 0 0 1 2 0v4m0-3a1 1 0 0 1 2 0v4m0-2.5a1 1 0 0 1 2 0V10a4 4 0 0 1-4 4H8.5c-1.5 0-2.4-.7-3.2-1.9L3 9c-.6-1 .8-2 1.6-1L5 8.6",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5Z",
  paperclip: "M12.5 7.5 7.7 12.3a2.8 2.8 0 0 1-4-4l5.2-5.2a1.9 1.9 0 0 1 2.7 2.7L6.5 10.9a1 1 0 0 1-1.4-1.4l4.5-4.5",
  pause: "M5.5 3.5v9m5-9v9",
  play: "M5 3.5v9l7.5-4.5z",
  plus: "M8 3v10M3 8h10",
  pulse: "M1.5 8.5h3l2-5 3 9 2-4h3",
  retry: "M13 5.5A5.5 5.5 0 1 0 13.5 9M13.5 2.5v3.2h-3.2",
  search: "m10.5 10.5 3 3M11.5 7a4.5 4.5 0 1 1-9 0 4.5 4.5 0 0 1 9 0Z",
  send: "M2.5 8 13.5 2.5 10 13.5 7.5 8.8zM7.5 8.8l6-6.3",
  stop: "M4.5 4.5h7v7h-7z",
  sun: "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 1.5v1.5M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1",
  tool: "M9.5 3.5a3 3 0 0 0-3.7 3.9L2.5 10.7l2.8 2.8 3.3-3.3a3 3 0 0 0 3.9-3.7L10.7 8.3 8.7 7.3 7.7 5.3z",
  warning: "M8 2.5 14.5 13.5h-13zM8 6.5v3.2M8 11.6v.2",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, className = "size-4" }: { name: IconName; className?: string }) {
  return (
    <svg viewBox="0 0 16 16" className={`shrink-0 ${className}`} fill="none" stroke="currentColor" aria-hidden="true">
      <path d={paths[name]} strokeWidth="1.4" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}
