// tools/dynamic/weather.ts
import { z } from 'zod'
import { defineTool } from '@nexus/tools'

export default defineTool({
  name: 'weather',
  description: 'Get current weather for a location',
  
  parameters: z.object({
    location: z.string().describe('City name or coordinates'),
    units: z.enum(['celsius', 'fahrenheit']).default('celsius'),
  }),
  
  // Optional: declare credential dependencies
  requires_credentials: ['weather-api'],
  
  // Execute function
  execute: async ({ location, units }, ctx) => {
    const apiKey = await ctx.credentials.get('weather-api', 'api_key')
    const response = await fetch(
      `https://api.weather.com/v1/current?q=${location}&units=${units}&key=${apiKey}`
    )
    const data = await response.json()
    return {
      location: data.location.name,
      temperature: data.current.temp,
      conditions: data.current.condition.text,
    }
  },
})
