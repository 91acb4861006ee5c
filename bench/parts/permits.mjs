/** Lets one consumer continue for each item produced, without polling. */
export function permits() {
  let free = 0;
  const waiting = [];
  return {
    release() {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    },
    async acquire() {
      if (free > 0) free -= 1;
      else await new Promise((resolve) => waiting.push(resolve));
    },
  };
}
