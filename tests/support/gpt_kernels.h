#pragma once
// Names of the kernels that the simulated model launches, in the spelling of CUDA 12 builds of PyTorch.

#include <string_view>

namespace torchline::test {

inline constexpr std::string_view kGemmQkv = "nvjet_tst_192x192_64x4_2x1_v_bz_coopB_bias_TNN";
inline constexpr std::string_view kGemmProjection = "nvjet_tst_256x128_64x4_1x2_h_bz_coopA_bias_TNN";
inline constexpr std::string_view kGemmUp = "nvjet_tst_128x256_64x4_2x1_v_bz_coopA_bias_TNN";
inline constexpr std::string_view kGemmDown = "nvjet_tst_128x256_64x4_1x2_h_bz_coopB_bias_TNN";
inline constexpr std::string_view kGemmHead = "nvjet_tst_256x128_64x4_2x1_v_bz_coopA_TNN";
inline constexpr std::string_view kGemmInputGradient = "nvjet_tst_256x128_64x4_2x1_v_bz_coopA_NNN";
inline constexpr std::string_view kGemmWeightGradient = "nvjet_tst_128x256_64x4_2x1_v_bz_splitK_NTN";
inline constexpr std::string_view kLayerNorm
    = "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float, false>(int, float, "
      "c10::BFloat16 const*, c10::BFloat16 const*, c10::BFloat16 const*, float*, float*, c10::BFloat16*)";
inline constexpr std::string_view kLayerNormInputGradient
    = "void at::native::(anonymous namespace)::layer_norm_grad_input_kernel_vectorized<c10::BFloat16, float, false>("
      "c10::BFloat16 const*, c10::BFloat16 const*, float const*, float const*, c10::BFloat16 const*, c10::BFloat16*, "
      "int)";
inline constexpr std::string_view kLayerNormWeightGradient
    = "void at::native::(anonymous namespace)::GammaBetaBackwardCUDAKernelTemplate<c10::BFloat16, float, 32u, 32u, "
      "256u, "
      "false, true, true>(long, long, c10::BFloat16 const*, c10::BFloat16 const*, float const*, float const*, "
      "c10::BFloat16*, c10::BFloat16*)";
inline constexpr std::string_view kFlashForward
    = "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, "
      "cutlass::bfloat16_t>, false, true, false, false, true, true, false, false>(pytorch_flash::Flash_fwd_params)";
inline constexpr std::string_view kFlashBackwardDot
    = "void pytorch_flash::flash_bwd_dot_do_o_kernel<true, pytorch_flash::Flash_bwd_kernel_traits<64, 128, 128, 8, 4, "
      "4, "
      "4, false, false, cutlass::bfloat16_t>>(pytorch_flash::Flash_bwd_params)";
inline constexpr std::string_view kFlashBackward
    = "void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<pytorch_flash::Flash_bwd_kernel_traits<64, "
      "128, "
      "128, 8, 4, 4, 4, false, false, cutlass::bfloat16_t>, false, true, false, false, true, true, "
      "false>(pytorch_flash::Flash_bwd_params)";
inline constexpr std::string_view kFlashBackwardConvert
    = "void pytorch_flash::flash_bwd_convert_dq_kernel<pytorch_flash::Flash_bwd_kernel_traits<64, 128, 128, 8, 4, 4, "
      "4, "
      "false, false, cutlass::bfloat16_t>>(pytorch_flash::Flash_bwd_params, int)";
inline constexpr std::string_view kGelu
    = "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, "
      "at::native::GeluType)::{lambda()#1}, std::array<char*, 2ul>>(int, at::native::GeluCUDAKernelImpl, "
      "std::array<char*, "
      "2ul>)";
inline constexpr std::string_view kGeluBackward
    = "void at::native::vectorized_elementwise_kernel<4, "
      "at::native::GeluBackwardCUDAKernelImpl(at::TensorIteratorBase&, "
      "at::native::GeluType)::{lambda()#1}, std::array<char*, 3ul>>(int, at::native::GeluBackwardCUDAKernelImpl, "
      "std::array<char*, 3ul>)";
inline constexpr std::string_view kAdd
    = "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, "
      "3ul>>(int, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul>)";
inline constexpr std::string_view kCopy = "void at::native::elementwise_kernel<128, 4, "
                                          "at::native::gpu_kernel_impl_nocast<at::native::direct_copy_kernel_cuda("
                                          "at::TensorIteratorBase&)>>(int, at::native::direct_copy_kernel_cuda)";
inline constexpr std::string_view kFill
    = "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<c10::BFloat16>, std::array<char*, "
      "1ul>>(int, at::native::FillFunctor<c10::BFloat16>, std::array<char*, 1ul>)";
inline constexpr std::string_view kSum
    = "void at::native::reduce_kernel<128, 4, at::native::ReduceOp<c10::BFloat16, "
      "at::native::func_wrapper_t<c10::BFloat16, "
      "at::native::sum_functor>, unsigned int, c10::BFloat16, 4, 4>>(at::native::ReduceOp)";
inline constexpr std::string_view kEmbedding
    = "void at::native::(anonymous namespace)::indexSelectLargeIndex<c10::BFloat16, long, unsigned int, 2, 2, -2, "
      "true>(at::cuda::detail::TensorInfo<c10::BFloat16, unsigned int>, at::cuda::detail::TensorInfo<c10::BFloat16 "
      "const, "
      "unsigned int>, at::cuda::detail::TensorInfo<long const, unsigned int>, int, int, unsigned int, unsigned int, "
      "long)";
inline constexpr std::string_view kEmbeddingBackward
    = "void at::native::(anonymous namespace)::embedding_backward_feature_kernel<c10::BFloat16, float, long>(long "
      "const*, "
      "c10::BFloat16 const*, c10::BFloat16*, int, long, int)";
inline constexpr std::string_view kLogSoftmax
    = "void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, c10::BFloat16, float, c10::BFloat16, "
      "at::native::(anonymous namespace)::LogSoftMaxForwardEpilogue>(c10::BFloat16*, c10::BFloat16 const*, int)";
inline constexpr std::string_view kLogSoftmaxBackward
    = "void at::native::(anonymous namespace)::cunn_SoftMaxBackward<8, c10::BFloat16, float, c10::BFloat16, "
      "at::native::(anonymous namespace)::LogSoftMaxBackwardEpilogue>(c10::BFloat16*, c10::BFloat16 const*, "
      "c10::BFloat16 "
      "const*, long)";
inline constexpr std::string_view kNllLoss
    = "void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<c10::BFloat16, float, "
      "long>(c10::BFloat16*, c10::BFloat16*, c10::BFloat16 const*, long const*, c10::BFloat16 const*, bool, long, "
      "long, "
      "long, long)";
inline constexpr std::string_view kNllLossBackward
    = "void at::native::(anonymous namespace)::nll_loss_backward_reduce_cuda_kernel_2d<c10::BFloat16, "
      "long>(c10::BFloat16*, c10::BFloat16 const*, long const*, c10::BFloat16 const*, c10::BFloat16 const*, bool, int, "
      "int, long, long)";
inline constexpr std::string_view kFusedAdam
    = "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
      "namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::FusedAdamMathFunctor<float, "
      "4, "
      "at::native::(anonymous namespace)::ADAM_MODE::ADAMW, false>, float const*, double, double, double, double, "
      "double, "
      "bool, float const*, float const*>(at::native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>)";
inline constexpr std::string_view kAllReduce
    = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";

} // namespace torchline::test
