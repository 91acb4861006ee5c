/**
 * Every runtime there is. A new one adds its folder, a line to this list and its kind to kinds.ts; the first
 * is the default of lanes.
 */
import { claude } from "./claude/descriptor.ts";
import type { RuntimeDescriptor } from "./descriptor.ts";
import { opencode } from "./opencode/descriptor.ts";
import { pi } from "./pi/descriptor.ts";
import { stub } from "./stub/descriptor.ts";

export const runtimeDescriptors: readonly [RuntimeDescriptor, ...RuntimeDescriptor[]] = [opencode, claude, pi, stub];
