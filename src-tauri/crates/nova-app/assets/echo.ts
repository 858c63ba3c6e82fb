import { z } from 'zod'
import { defineTool } from '@nova/tools'

export default defineTool({
  name: 'echo',
  description: 'Gives a text back, as often as wanted.',
  parameters: z.object({
    text: z.string().describe('What to give back'),
    times: z.number().int().min(1).max(10).default(1),
  }),
  // The worst it may do: read (only computes), external (asks the web), destructive, send.
  effect: 'read',
  execute: async ({ text, times }) => ({ text: Array(times).fill(text).join(' ') }),
})
