-- The recording of tensor.compile that runs, for functions that cannot be replayed.

local recording = {}

--- refuse(reason): ends the recording that runs, if there is one. reason: what "the function" does.
function recording.refuse(reason)
   if recording.core then
      recording.native_refuse(recording.core, reason)
   end
end

return recording
