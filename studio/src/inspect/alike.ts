/** How many of some cases are of one episode, by the episodes of all; 0 where that is less than half of them. */
export function alike(episodes: string[]): number {
  const counts = new Map<string, number>();
  for (const episode of episodes) counts.set(episode, (counts.get(episode) ?? 0) + 1);
  const most = Math.max(0, ...counts.values());
  return 2 * most >= episodes.length ? most : 0;
}
