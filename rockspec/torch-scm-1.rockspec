-- The module torch comes with the rock tensor. This one is for the rocks that depend on torch.

rockspec_format = '3.0'
package = 'torch'
version = 'scm-1'

source = {
  url = 'git+file://.',
}

description = {
  summary = "Torch7's name for the rock tensor",
  license = 'MIT',
}

supported_platforms = { 'linux' }

dependencies = {
  'tensor',
}

build = {
  type = 'none',
}
