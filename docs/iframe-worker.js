// Browsers start no worker for a page that was opened from disk, but the search needs one: its script runs in a hidden
// frame instead. The theme's worker looks for the name IFrameWorker, and its offline plugin for that of this file.
if (location.protocol === "file:") {
  window.Worker = window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super()
      this.waiting = [] // messages that came before the script was there
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.append(frame)
      this.inside = frame.contentWindow
      this.inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
      this.inside.importScripts = (...urls) => Promise.all(urls.map(each => this.load(each)))
      this.load(url).then(() => {
        const waiting = this.waiting
        this.waiting = null
        waiting.forEach(data => this.postMessage(data))
      })
    }

    load(url) {
      const script = this.inside.document.createElement("script")
      return new Promise((loaded, failed) => {
        script.onload = loaded
        script.onerror = failed
        script.src = new URL(url, location.href).href
        this.inside.document.head.append(script)
      })
    }

    postMessage(data) {
      if (this.waiting) this.waiting.push(data)
      else this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data }))
    }
  }
}
