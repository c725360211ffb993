// A command that the user is told to run next, as it must be typed. The help calls commands by their names; a command
// to be copied has to work: `npx` finds them where the package is installed, locally or globally, and in a clone, where
// `npm ci` has built them, and it runs them with the Node of that place.

export function npxCommand(command: `${'loadahead' | 'prefetchd'} ${string}`): string {
  return `npx ${command}`;
}
