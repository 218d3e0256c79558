import type { program } from '@melmastoon/cli/program';
import { type Page, table } from './generator.ts';

type Command = ReturnType<typeof program>;

/** Every command of `melm` with its arguments and flags. */
export const cliPage: Page = {
  path: 'docs/reference/cli.md',
  title: 'The melm command',
  source: '`apps/cli/program.ts`',
  async make() {
    const { program } = await import('@melmastoon/cli/program');
    const sections = leaves(program(), 'melm').map(({ name, command }) => {
      const named = command.registeredArguments.map(argument => [usageOf(argument), argument.description]);
      const flags = command.options.map(({ flags, description }) => [`\`${flags}\``, description]);
      const usage = [name, ...named.map(([input = '']) => input.replaceAll('`', ''))].join(' ');
      const inputs = [...named, ...flags];
      const body = inputs.length === 0 ? '' : `\n\n${table(['Input', 'Meaning'], inputs)}`;
      return `## ${usage}\n\n${sentence(command.description())}${body}`;
    });
    return `${introduction}\n\n${sections.join('\n\n')}`;
  },
};

const introduction = [
  'In a clone run it as `npx melm <command>`; `npm start` is `melm start`. Variables are on the page of the',
  '[environment](environment.md). Exit codes: 0 done, 1 a finding or a failure, 2 called or configured wrongly.',
].join('\n');

/** The commands one can run: `melm dlq` only leads to others. */
function leaves(command: Command, name: string): { name: string; command: Command }[] {
  if (command.commands.length === 0) return [{ name, command }];
  return command.commands.flatMap(child => leaves(child, `${name} ${child.name()}`));
}

function usageOf(argument: { name(): string; required: boolean; variadic: boolean }): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `\`<${name}>\`` : `\`[${name}]\``;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
