import { z } from 'zod'
import { defineTool } from '@nexus/tools'

export default defineTool({
  name: 'slack_notify',
  description: 'Send a Slack notification',
  parameters: z.object({
    channel: z.string(),
    message: z.string(),
  }),
  requires_credentials: ['slack'],
  execute: async ({ channel, message }, ctx) => {
    const token = await ctx.credentials.get('slack', 'bot_token')
    await fetch('https://slack.com/api/chat.postMessage', {
      method: 'POST',
      headers: { 
        'Authorization': `Bearer ${token}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ channel, text: message }),
    })
    return { success: true }
  },
})
