// A command that a person is told to run next, as it is to be typed. Help calls commands by their names; what is to
// be copied has to work: `npx` finds them where the package is installed, for a project or for all, and in a clone,
// where `npm ci` has built them, and it runs them with the Node of that place.

export function npxCommand(command: `${'loadahead' | 'prefetchd'} ${string}`): string {
  return `npx ${command}`;
}
